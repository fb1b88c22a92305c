import { testSixteenCounts } from './support/sixteen-counts.js';

testSixteenCounts('small');
