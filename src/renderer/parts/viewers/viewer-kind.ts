/** A kind of file that can be shown as more than its text. */
export type ViewerKind = 'image' | 'svg' | 'notebook' | 'markdown' | 'table' | 'json' | 'pdf'

const kinds: Readonly<Record<string, ViewerKind>> = {
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  avif: 'image',
  bmp: 'image',
  ico: 'image',
  svg: 'svg',
  ipynb: 'notebook',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'table',
  tsv: 'table',
  json: 'json',
  pdf: 'pdf',
}

/** How a file can be shown, by its ending; null for a file that is only text. */
export function viewerKindOf(path: string): ViewerKind | null {
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') ? (kinds[path.slice(dot + 1).toLowerCase()] ?? null) : null
}

/** Kinds that have no text, or whose text says little. They are shown by their viewer first. */
export function isShownFirst(kind: ViewerKind): boolean {
  return kind === 'image' || kind === 'svg' || kind === 'notebook' || kind === 'pdf'
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
}

/** The type of an image, by its ending. */
export function mediaTypeOf(path: string): string {
  return mediaTypes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'
}
