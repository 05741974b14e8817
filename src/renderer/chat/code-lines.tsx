import { memo, type ReactNode } from 'react'
import { keyed } from '../ui/keyed.ts'
import { reachable } from '../ui/reachable.ts'

/** Lines of code that the browser lays out together: a longer one that grows would be laid out whole each time. */
const linesTogether = 40

/** The code of a fence, in parts that each stand once their lines do. */
export const CodeLines = memo(function CodeLines({ text }: { readonly text: string }): ReactNode {
  const lines = text.split('\n')
  const parts = Array.from({ length: Math.ceil(lines.length / linesTogether) }, (_, index) =>
    lines.slice(index * linesTogether, (index + 1) * linesTogether).join('\n'),
  )
  return (
    <pre {...reachable}>
      <code>
        {keyed(parts).map(({ key, item }) => (
          <CodePart key={key} text={item} />
        ))}
      </code>
    </pre>
  )
})

const CodePart = memo(function CodePart({ text }: { readonly text: string }): ReactNode {
  return <span className="block">{text === '' ? '\n' : text}</span>
})
