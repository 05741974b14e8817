import { isValidElement, memo, type ReactNode, useRef, useState } from 'react'
import { type Components, defaultRehypePlugins, Streamdown } from 'streamdown'
import { useClient } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { type Blocks, splitBlocks } from './blocks.ts'
import { CodeLines } from './code-lines.tsx'
import { usePaced } from './use-paced.ts'

const labels = strings.chat

/** Raw HTML is never parsed: without this plugin it stays text. */
const rehypePlugins = Object.entries(defaultRehypePlugins)
  .filter(([name]) => name !== 'raw')
  .map(([, plugin]) => plugin)

const components: Components = {
  a: ({ href, children }) => <ExternalLink href={href ?? ''}>{children}</ExternalLink>,
  img: ({ alt }) => <span className="text-muted italic">{labels.imageBlocked(alt ?? '')}</span>,
  pre: ({ children }) => <Fence>{children}</Fence>,
  inlineCode: ({ children }) => <code>{children}</code>,
  table: ({ children }) => <table>{children}</table>,
  thead: ({ children }) => <thead>{children}</thead>,
  tbody: ({ children }) => <tbody>{children}</tbody>,
  tr: ({ children }) => <tr>{children}</tr>,
  th: ({ children }) => <th>{children}</th>,
  td: ({ children }) => <td>{children}</td>,
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
  ul: ({ children }) => <ul>{children}</ul>,
  ol: ({ children, start }) => <ol start={start}>{children}</ol>,
  li: ({ children }) => <li>{children}</li>,
  p: ({ children }) => <p>{children}</p>,
  blockquote: ({ children }) => <blockquote>{children}</blockquote>,
  hr: () => <hr />,
  strong: ({ children }) => <strong>{children}</strong>,
}

export interface MarkdownProps {
  readonly text: string
  /** It is being written: what is open at its end is closed, and it is drawn no faster than the page can follow. */
  readonly writing?: boolean
}

/** Characters up to which a text that stands is read as a whole. */
const readWhole = 16_000

/** What a model wrote. No raw HTML, no remote images, and links say where they lead before they open. */
export const Markdown = memo(function Markdown({ text, writing = false }: MarkdownProps): ReactNode {
  const paced = usePaced(text)
  const shown = writing ? paced : text
  const before = useRef<Blocks | null>(null)
  if (!writing && text.length <= readWhole) return <Prose text={text} className="markdown" />
  before.current = splitBlocks(shown, before.current)
  return (
    <div className="markdown">
      {before.current.blocks.map(({ kind, language, text, at }, index, all) =>
        kind === 'code' ? (
          <CodeLines key={at} text={text} language={language} />
        ) : (
          <Prose key={at} text={text} open={writing && index === all.length - 1} />
        ),
      )}
    </div>
  )
})

interface ProseProps {
  readonly text: string
  readonly open?: boolean
  readonly className?: string
}

function Prose({ text, open = false, className }: ProseProps): ReactNode {
  return (
    <Streamdown
      {...(className && { className })}
      mode={className ? 'static' : 'streaming'}
      parseIncompleteMarkdown={open}
      parseMarkdownIntoBlocksFn={asOneBlock}
      rehypePlugins={rehypePlugins}
      components={components}
      controls={false}
      skipHtml={false}
    >
      {text}
    </Streamdown>
  )
}

/** The parser ends every code with a line break that is not part of it. */
function Fence({ children }: { readonly children?: ReactNode }): ReactNode {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return null
  const { className, children: code } = children.props
  const language = /(?:^|\s)language-(\S+)/.exec(className ?? '')?.[1] ?? ''
  return <CodeLines text={typeof code === 'string' ? code.replace(/\n$/, '') : ''} language={language} />
}

function asOneBlock(text: string): string[] {
  return [text]
}

function ExternalLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  const client = useClient()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <button
        type="button"
        title={labels.linkTitle(href)}
        className="text-accent underline"
        onClick={() => setAsking(!asking)}
      >
        {children}
      </button>
      {asking && (
        <span className="mx-1 inline-flex flex-wrap items-center gap-2 rounded-md border border-line bg-panel px-2 py-0.5">
          <span className="break-all font-mono text-xs">{href}</span>
          <Button size="small" className="h-6" onClick={() => void client.app.openExternal({ url: href })}>
            {labels.openLink}
          </Button>
        </span>
      )}
    </>
  )
}
