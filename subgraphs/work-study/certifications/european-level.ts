/** Levels of the European qualifications framework: the source's word → the graph's (seed work-study 2.1). */
export const EUROPEAN_LEVELS = {
  '1': 'LEVEL_1',
  '2': 'LEVEL_2',
  '3': 'LEVEL_3',
  '4': 'LEVEL_4',
  '5': 'LEVEL_5',
  '6': 'LEVEL_6',
  '7': 'LEVEL_7',
  '8': 'LEVEL_8',
} as const;
