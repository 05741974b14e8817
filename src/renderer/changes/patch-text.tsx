import { type CSSProperties, type ReactNode, useMemo } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import { VisibleText } from '../ui/visible-text-view.tsx'

const rowHeight = 18
/** Characters of one line that are shown; all of it is copied and saved. */
const shownOfLine = 1000

/** A patch as it will be saved, with its lines in the colours of a diff; only those in sight are made. */
export function PatchText({ text, label }: { text: string; label: string }): ReactNode {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const longest = useMemo(() => lines.reduce((most, { length }) => Math.max(most, length), 0), [lines])
  return (
    <Virtuoso
      role="region"
      aria-label={label}
      className="rounded-md border border-line bg-panel font-mono text-xs"
      style={{ height: `min(46vh, ${lines.length * rowHeight + 10}px)` }}
      data={lines}
      context={{ width: `max(100%, ${Math.min(longest, shownOfLine) + 2}ch)` }}
      components={parts}
      fixedItemHeight={rowHeight}
      itemContent={(_, line) => (
        <div className={`h-[18px] whitespace-pre px-2 leading-[18px] ${inkOf(line)}`}>
          <VisibleText text={line.slice(0, shownOfLine)} />
        </div>
      )}
    />
  )
}

const parts: Components<string, CSSProperties> = {
  List: ({ style, context, ref, ...rest }) => <div {...rest} ref={ref ?? null} style={{ ...style, ...context }} />,
}

function inkOf(line: string): string {
  if (line.startsWith('diff --git')) return 'border-line border-t font-semibold'
  if (/^(\+\+\+|---|index|new file|deleted file|similarity|rename|old mode|new mode) /.test(line)) return 'text-faint'
  if (line.startsWith('+')) return 'bg-added'
  if (line.startsWith('-')) return 'bg-removed'
  return line.startsWith('@@') ? 'text-faint' : ''
}
