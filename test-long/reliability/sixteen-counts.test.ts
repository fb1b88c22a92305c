import { testSixteenCounts } from '../../test/reliability/support/sixteen-counts.js';

testSixteenCounts('real');
