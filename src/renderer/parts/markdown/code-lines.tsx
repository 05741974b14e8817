import { memo, type ReactNode, useRef } from 'react'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { openFile } from '../../state/store/ui-state.ts'
import { strings } from '../../strings/strings.ts'
import { CodeText } from '../../ui/code/code-text.tsx'
import type { Highlighter } from '../../ui/code/token.ts'
import { useHighlighter } from '../../ui/code/use-highlighter.ts'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { reachable, withKeys } from '../../ui/react/elements.tsx'
import { useSeen } from '../../ui/react/observers.ts'
import { placeIn } from './file-place.ts'

const labels = strings.chat

/** Code in a sentence. The name of a file opens the file, at its line. */
export function InlineCode({ children }: { readonly children?: ReactNode }): ReactNode {
  const updateUi = useUpdateUi()
  const place = typeof children === 'string' ? placeIn(children) : null
  if (!place) return <code>{children}</code>
  return (
    <button
      type="button"
      dir="ltr"
      title={labels.openPlace(place.path, place.line)}
      className="text-left hover:underline"
      onClick={() => updateUi((ui) => openFile(ui, place.path, place.line))}
    >
      <code>{children}</code>
    </button>
  )
}

/**
 * Lines of code in one element. The browser lays out the whole of a growing element each time, so elements stay
 * small.
 */
const linesTogether = 40

interface CodeLinesProps {
  readonly text: string
  /** The language that the fence names; empty for none. */
  readonly language: string
}

/** The code of a fence, in parts that do not change once their lines are complete. */
export const CodeLines = memo(function CodeLines({ text, language }: CodeLinesProps): ReactNode {
  const isDiff = language === 'diff' || language === 'patch'
  const highlighter = useHighlighter(language === '' || isDiff ? null : { language })
  const lines = text.split('\n')
  const parts = Array.from({ length: Math.ceil(lines.length / linesTogether) }, (_, index) =>
    lines.slice(index * linesTogether, (index + 1) * linesTogether).join('\n'),
  )
  return (
    <div className="relative" dir="ltr">
      {language !== '' && <p className="absolute top-1.5 left-3 max-w-[60%] truncate text-muted text-xs">{language}</p>}
      <pre {...reachable} className={language === '' ? undefined : 'labelled'}>
        <code>
          {withKeys(parts).map(({ key, item }) =>
            isDiff ? <DiffPart key={key} text={item} /> : <CodePart key={key} text={item} highlighter={highlighter} />,
          )}
        </code>
      </pre>
      <CopyButton label={labels.copyCode} text={text} className="absolute top-1.5 right-1.5" />
    </div>
  )
})

interface CodePartProps {
  readonly text: string
  readonly highlighter: Highlighter | null
}

/** Colours the lines once they come into sight. */
const CodePart = memo(function CodePart({ text, highlighter }: CodePartProps): ReactNode {
  const box = useRef<HTMLSpanElement>(null)
  const seen = useSeen(box)
  return (
    <span ref={box} className="block">
      {text === '' ? '\n' : <CodeText text={text} highlighter={seen ? highlighter : null} />}
    </span>
  )
})

/** Lines of a diff: added ones green, removed ones red. Their signs say the same. */
const DiffPart = memo(function DiffPart({ text }: { readonly text: string }): ReactNode {
  return withKeys(text.split('\n')).map(({ key, item }) => (
    <span key={key} className={`block ${diffLook(item)}`}>
      {item === '' ? '\n' : item}
    </span>
  ))
})

function diffLook(line: string): string {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return 'text-muted'
  if (line.startsWith('+')) return 'bg-good-soft text-good'
  if (line.startsWith('-')) return 'bg-bad-soft text-bad'
  return line.startsWith('@@') ? 'text-accent' : ''
}
