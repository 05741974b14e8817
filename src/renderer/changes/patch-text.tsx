import type { ReactNode } from 'react'
import { keyed } from '../ui/keyed.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'

/** Lines shown of a large patch; all of it is copied and saved. */
const shownAtMost = 3000

/** A patch as it will be saved, with its lines in the colours of a diff. */
export function PatchText({ text, more }: { text: string; more: (lines: number) => string }): ReactNode {
  const lines = text.split('\n')
  return (
    <pre className="w-max min-w-full font-mono text-xs">
      {keyed(lines.slice(0, shownAtMost)).map(({ key, item }) => (
        <span key={key} className={`block min-h-4 px-2 ${inkOf(item)}`}>
          <VisibleText text={item} />
        </span>
      ))}
      {lines.length > shownAtMost && (
        <span className="block px-2 pt-2 text-muted">{more(lines.length - shownAtMost)}</span>
      )}
    </pre>
  )
}

function inkOf(line: string): string {
  if (line.startsWith('diff --git')) return 'pt-2 font-semibold'
  if (/^(\+\+\+|---|index|new file|deleted file|similarity|rename|old mode|new mode) /.test(line)) return 'text-faint'
  if (line.startsWith('+')) return 'bg-added'
  if (line.startsWith('-')) return 'bg-removed'
  return line.startsWith('@@') ? 'text-faint' : ''
}
