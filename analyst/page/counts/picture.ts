import { download } from '../elements/files.js';

/** A bar of a picture, with its parts from left to right as shares of the longest bar. */
export interface PictureBar {
  readonly label: string;
  /** The number at its end. */
  readonly figure: string;
  readonly parts: readonly { readonly share: number; readonly fill: string }[];
}

/** What a picture of counts shows. */
export interface Picture {
  readonly title: string;
  /** What was counted, of when and from where. */
  readonly lines: readonly string[];
  readonly bars: readonly PictureBar[];
  readonly legend: readonly { readonly label: string; readonly fill: string }[];
}

/** Pixels. */
const WIDTH = 960;
const LABELS = 260;
const BAR = 16;
const STEP = 24;
const MARGIN = 24;
/** Room for the figure beside the longest bar. */
const FIGURES = 150;
/** Characters of a label. */
const LONGEST = 36;

/** A picture as SVG, and its height. */
function draw({ title, lines, bars, legend }: Picture): { readonly svg: string; readonly height: number } {
  const drawn: string[] = [];
  const write = (text: string, at: string): void => void drawn.push(`<text ${at}>${escaped(text)}</text>`);
  const fillIn = (x: number, y: number, width: number, fill: string): void =>
    void drawn.push(`<rect x="${x}" y="${y}" width="${width}" height="${BAR}" fill="${fill}"/>`);
  write(title, `x="${MARGIN}" y="${MARGIN + 18}" font-size="20"`);
  let [x, y] = [MARGIN, MARGIN + 28];
  for (const { label, fill } of legend) {
    fillIn(x, y + 2, BAR, fill);
    write(short(label), `x="${x + BAR + 6}" y="${y + 15}"`);
    x += BAR + 30 + 7.5 * short(label).length;
    if (x > WIDTH - LABELS) [x, y] = [MARGIN, y + STEP];
  }
  if (x > MARGIN) y += STEP;
  const longest = WIDTH - 2 * MARGIN - LABELS - FIGURES;
  for (const { label, figure, parts } of bars) {
    write(short(label), `x="${MARGIN + LABELS - 8}" y="${y + 13}" text-anchor="end"`);
    let end = MARGIN + LABELS;
    for (const { share, fill } of parts) {
      fillIn(end, y, share * longest, fill);
      end += share * longest;
    }
    write(figure, `x="${end + 6}" y="${y + 13}"`);
    y += STEP;
  }
  for (const line of lines) {
    y += 18;
    write(line, `x="${MARGIN}" y="${y}" font-size="12"`);
  }
  const height = y + MARGIN;
  const size = `width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13" fill="#222"`;
  const paper = '<rect width="100%" height="100%" fill="#fff"/>';
  return { svg: `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${paper}\n${drawn.join('\n')}\n</svg>\n`, height };
}

function short(label: string): string {
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids, and halves of pairs
const FORBIDDEN = /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]|\p{Surrogate}/gu;

function escaped(text: string): string {
  return text.replace(FORBIDDEN, '\uFFFD').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Downloads a picture as SVG. */
export function downloadSvg(picture: Picture, name: string): void {
  download(name, 'image/svg+xml', [draw(picture).svg]);
}

/** Downloads a picture as PNG, with two pixels for one. */
export async function downloadPng(picture: Picture, name: string): Promise<void> {
  const { svg, height } = draw(picture);
  const image = new Image(WIDTH, height);
  // The page's policy lets it show what is written into the address.
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(2 * WIDTH, 2 * height);
  canvas.getContext('2d')?.drawImage(image, 0, 0, 2 * WIDTH, 2 * height);
  const png = await canvas.convertToBlob();
  download(name, png.type, [new Uint8Array(await png.arrayBuffer())]);
}
