import type { Extent } from '../../../rows/extent.js';
import { ROW_FORMATS } from '../../../rows/formats.js';
import { FIGURES, type Figure } from '../../../rows/row-counts.js';
import { Choice } from '../elements/choice.js';
import { language } from '../language/language.js';
import { useTexts } from '../language/texts.js';
import { ExtentWords } from '../lists/extent-words.js';
import type { CountingMemory } from '../lists/list-memory.js';
import type { ShownRows } from '../lists/shown-rows.js';
import type { QueryResult } from '../responses/query-result.js';
import { useStore } from '../store/store.js';
import type { OrderedCounts } from './count-table.js';
import { downloadCounts } from './download-counts.js';
import { COUNT_TEXTS } from './texts.js';

interface CountBarProps {
  result: QueryResult;
  shown: ShownRows;
  extent: Extent;
  counting: CountingMemory;
  counts: OrderedCounts;
  onChange(counting: CountingMemory): void;
}

/** Chooses what to count, and saves the counts. */
export function CountBar({ result, shown, extent, counting, counts, onChange }: CountBarProps) {
  const texts = useTexts(COUNT_TEXTS);
  const { layout, profiles } = shown.list;
  const names = layout.columns.map(({ name }) => name);
  const numeric = names.filter((name) => profiles.get(name)?.kind === 'number');
  const [first = '', second = ''] = counting.by;
  const setBy = (by: readonly string[]): void => onChange({ ...counting, by: by.filter((name) => name !== '') });
  const spoken = useStore(language);
  return (
    <div className="pa-bar">
      <Choice label={texts.countBy} value={first} options={names} onChoose={(name) => setBy([name, second])} />
      <Choice
        label={texts.and}
        value={second}
        options={['', ...names.filter((name) => name !== first)]}
        onChoose={(name) => setBy([first, name])}
      />
      {numeric.length > 0 && (
        <Choice
          label={texts.numbers}
          value={counting.of}
          options={['', ...numeric]}
          onChoose={(of) => onChange({ ...counting, of, show: of === '' ? 'rows' : 'sum' })}
        />
      )}
      {counting.of !== '' && (
        <Choice
          label={texts.show}
          value={counting.show}
          options={FIGURES}
          titles={texts.figures}
          onChoose={(show) => onChange({ ...counting, show: show as Figure })}
        />
      )}
      <ExtentWords extent={extent} path={shown.list.path} />
      <span className="pa-buttons">
        {ROW_FORMATS.filter(({ name }) => name !== 'geojson').map((format) => (
          <button
            key={format.name}
            type="button"
            aria-label={`${texts.counts}: ${format.title[spoken]}`}
            onClick={() => downloadCounts(result, { shown, extent, counts }, format)}
          >
            {format.title[spoken]}
          </button>
        ))}
      </span>
    </div>
  );
}
