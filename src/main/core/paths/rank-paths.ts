import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** How well a path fits a text that a person typed: the lower, the better. */
export interface PathRank {
  readonly path: VirtualPath
  /** 0 when the name begins with the text, 1 when it holds it, 2 when only the path does. */
  readonly score: number
}

/** Orders better fits first, then shorter paths. */
export function byRank(a: PathRank, b: PathRank): number {
  return a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1)
}

/** The paths that contain the text in any case, best first. */
export function rankPaths(paths: readonly VirtualPath[], text: string, limit: number): readonly VirtualPath[] {
  const wanted = text.toLowerCase()
  const ranked = paths.flatMap((path) => {
    const lower = path.toLowerCase()
    if (!lower.includes(wanted)) return []
    const name = lower.slice(lower.lastIndexOf('/') + 1)
    return [{ path, score: name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2 }]
  })
  return ranked
    .sort(byRank)
    .slice(0, limit)
    .map(({ path }) => path)
}
