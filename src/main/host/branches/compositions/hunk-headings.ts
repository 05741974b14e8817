import type { CompositionSource } from '#core/commands/compose/composition.ts'
import type { FileOrigin, HunkHeading } from '#overlay'
import { oneLine } from '#shared/text/control-characters.ts'

/** Says in the heading of each hunk of a patch where its lines are from. */
export function headingOf(
  origins: readonly FileOrigin[],
  sources: readonly Pick<CompositionSource, 'branch' | 'sequence'>[],
): HunkHeading {
  const byPath = new Map(origins.map(({ path, pieces }) => [path.slice(1), pieces]))
  return (path, start, lines) => {
    const pieces = [...byPath].find(([known]) => path === known || path.endsWith(`/${known}`))?.[1] ?? []
    // A hunk of which all lines were deleted is between two lines.
    const touched = pieces.filter(
      (piece) => piece.lines === null || (piece.start <= start + lines && piece.start + piece.lines >= start),
    )
    const names = touched.flatMap(({ from, byHand }) =>
      byHand ? ['by hand'] : from.map((source) => nameOf(sources[source])),
    )
    return oneLine([...new Set(names)].join(', '))
  }
}

function nameOf(source: Pick<CompositionSource, 'branch' | 'sequence'> | undefined): string {
  if (!source) return ''
  const { parentId, handle, name } = source.branch
  const word = parentId === null ? 'workspace' : (handle ?? name)
  return source.sequence === null ? word : `${word}@${source.sequence}`
}
