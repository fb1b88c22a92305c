import { FIGURES, type Figure } from '../../rows/count-rows.js';
import { fileName, ROW_FORMATS, writeRows } from '../../rows/formats.js';
import { Choice } from '../elements/choice.js';
import { download } from '../elements/download.js';
import { language } from '../language/language.js';
import { useTexts } from '../language/texts.js';
import type { CountingMemory } from '../lists/list-memory.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { useStore } from '../store/store.js';
import type { OrderedCounts } from './count-table.js';
import { COUNT_TEXTS } from './texts.js';

interface CountBarProps {
  shown: ShownRows;
  counting: CountingMemory;
  counts: OrderedCounts;
  onChange(counting: CountingMemory): void;
}

/** Chooses what to count, and saves the counts. */
export function CountBar({ shown, counting, counts, onChange }: CountBarProps) {
  const texts = useTexts(COUNT_TEXTS);
  const { layout, profiles, path } = shown.list;
  const names = layout.columns.map(({ name }) => name);
  const numeric = names.filter((name) => profiles.get(name)?.kind === 'number');
  const [first = '', second = ''] = counting.by;
  const setBy = (by: readonly string[]): void => onChange({ ...counting, by: by.filter((name) => name !== '') });
  const spoken = useStore(language);
  const save = (format: (typeof ROW_FORMATS)[number]): void => {
    const figures: readonly Figure[] = counts.of === null ? ['rows'] : FIGURES;
    const titles = [...counts.by.map(({ name }) => name), ...figures.map((figure) => texts.figures[figure])];
    const columns = titles.map((name) => ({ name }));
    const rows = counts.groups.map((group) => ({
      cells: () => [...group.key, ...figures.map((figure) => group[figure])],
      at: () => null,
    }));
    download(
      fileName(`${path}.counts`, format),
      format.mediaType,
      writeRows(format, { columns, positions: [], language: spoken }, rows),
    );
  };
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
      <span className="pa-buttons">
        {ROW_FORMATS.filter(({ name }) => name !== 'geojson').map((format) => (
          <button
            key={format.name}
            type="button"
            aria-label={`${texts.counts}: ${format.title[spoken]}`}
            onClick={() => save(format)}
          >
            {format.title[spoken]}
          </button>
        ))}
      </span>
    </div>
  );
}
