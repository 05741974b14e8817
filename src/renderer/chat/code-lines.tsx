import { memo, type ReactNode, useRef } from 'react'
import { strings } from '../state/strings.ts'
import { CodeText } from '../ui/code-text.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { keyed } from '../ui/keyed.ts'
import { reachable } from '../ui/reachable.ts'
import type { Syntax } from '../ui/syntax.ts'
import { useSeen } from '../ui/use-seen.ts'
import { useSyntax } from '../ui/use-syntax.ts'

const labels = strings.chat

/** Lines of code that the browser lays out together: a longer one that grows would be laid out whole each time. */
const linesTogether = 40

export interface CodeLinesProps {
  readonly text: string
  /** What the fence says its code is; empty where it says nothing. */
  readonly language: string
}

/** The code of a fence, in parts that each stand once their lines do. */
export const CodeLines = memo(function CodeLines({ text, language }: CodeLinesProps): ReactNode {
  const syntax = useSyntax(language === '' ? null : { language })
  const lines = text.split('\n')
  const parts = Array.from({ length: Math.ceil(lines.length / linesTogether) }, (_, index) =>
    lines.slice(index * linesTogether, (index + 1) * linesTogether).join('\n'),
  )
  return (
    <div className="relative">
      <pre {...reachable}>
        <code>
          {keyed(parts).map(({ key, item }) => (
            <CodePart key={key} text={item} syntax={syntax} />
          ))}
        </code>
      </pre>
      <CopyButton label={labels.copyCode} text={text} className="absolute top-1.5 right-1.5" />
    </div>
  )
})

interface CodePartProps {
  readonly text: string
  readonly syntax: Syntax | null
}

/** Has its colours once it is in sight: a long code is not coloured at once. */
const CodePart = memo(function CodePart({ text, syntax }: CodePartProps): ReactNode {
  const box = useRef<HTMLSpanElement>(null)
  const seen = useSeen(box)
  return (
    <span ref={box} className="block">
      {text === '' ? '\n' : <CodeText text={text} syntax={seen ? syntax : null} />}
    </span>
  )
})
