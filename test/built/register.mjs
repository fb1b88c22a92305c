// Preloaded into the processes that run tests.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
