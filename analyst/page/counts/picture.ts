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
const INK = '#222';

type Shape =
  | { readonly kind: 'rect'; readonly x: number; readonly y: number; readonly width: number; readonly fill: string }
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly size: number;
      readonly isRight?: boolean;
    };

/** The shapes of a picture and its height, for SVG and canvas alike. */
function layOut({ title, lines, bars, legend }: Picture): {
  readonly shapes: readonly Shape[];
  readonly height: number;
} {
  const shapes: Shape[] = [{ kind: 'text', x: MARGIN, y: MARGIN + 18, text: title, size: 20 }];
  let y = MARGIN + 28;
  let x = MARGIN;
  for (const { label, fill } of legend) {
    shapes.push({ kind: 'rect', x, y: y + 2, width: BAR, fill });
    shapes.push({ kind: 'text', x: x + BAR + 6, y: y + 15, text: short(label), size: 13 });
    x += BAR + 30 + 7.5 * short(label).length;
    if (x > WIDTH - LABELS) [x, y] = [MARGIN, y + STEP];
  }
  if (x > MARGIN) y += STEP;
  const longest = WIDTH - 2 * MARGIN - LABELS - FIGURES;
  for (const { label, figure, parts } of bars) {
    shapes.push({ kind: 'text', x: MARGIN + LABELS - 8, y: y + 13, text: short(label), size: 13, isRight: true });
    let end = MARGIN + LABELS;
    for (const { share, fill } of parts) {
      shapes.push({ kind: 'rect', x: end, y, width: share * longest, fill });
      end += share * longest;
    }
    shapes.push({ kind: 'text', x: end + 6, y: y + 13, text: figure, size: 13 });
    y += STEP;
  }
  for (const text of lines) {
    y += 18;
    shapes.push({ kind: 'text', x: MARGIN, y, text, size: 12 });
  }
  return { shapes, height: y + MARGIN };
}

function short(label: string): string {
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
}

/** Downloads a picture as SVG. */
export function downloadSvg(picture: Picture, name: string): void {
  const { shapes, height } = layOut(picture);
  const drawn = shapes.map((shape) =>
    shape.kind === 'rect'
      ? `<rect x="${shape.x}" y="${shape.y}" width="${shape.width}" height="${BAR}" fill="${shape.fill}"/>`
      : `<text x="${shape.x}" y="${shape.y}" font-size="${shape.size}"${shape.isRight ? ' text-anchor="end"' : ''}>${escaped(shape.text)}</text>`,
  );
  download(name, 'image/svg+xml', [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" fill="${INK}">\n`,
    `<rect width="100%" height="100%" fill="#fff"/>\n${drawn.join('\n')}\n</svg>\n`,
  ]);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Downloads a picture as PNG, with two pixels for one. */
export async function downloadPng(picture: Picture, name: string): Promise<void> {
  const { shapes, height } = layOut(picture);
  const canvas = new OffscreenCanvas(2 * WIDTH, 2 * height);
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  pen.scale(2, 2);
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, WIDTH, height);
  for (const shape of shapes) {
    pen.fillStyle = shape.kind === 'rect' ? shape.fill : INK;
    if (shape.kind === 'rect') {
      pen.fillRect(shape.x, shape.y, shape.width, BAR);
      continue;
    }
    pen.font = `${shape.size}px sans-serif`;
    pen.textAlign = shape.isRight === true ? 'right' : 'left';
    pen.fillText(shape.text, shape.x, shape.y);
  }
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  download(name, 'image/png', [new Uint8Array(await blob.arrayBuffer())]);
}
