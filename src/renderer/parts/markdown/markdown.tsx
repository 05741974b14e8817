import {
  type CSSProperties,
  isValidElement,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Components, defaultRehypePlugins, defaultRemarkPlugins, Streamdown } from 'streamdown'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Boundary } from '../../ui/react/boundary.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { reachable } from '../../ui/react/elements.tsx'
import { useOpenLink } from '../use-open-link.ts'
import { type Blocks, splitBlocks } from './blocks.ts'
import { CodeLines, InlineCode } from './code-lines.tsx'
import { exceedsBounds } from './markdown-bounds.ts'

const labels = strings.chat

/** Without the plugin `raw`, HTML stays text and is never parsed. */
const rehypePlugins = Object.entries(defaultRehypePlugins)
  .filter(([name]) => name !== 'raw')
  .map(([, plugin]) => plugin)

interface Processor {
  data(): { micromarkExtensions?: object[] }
}

/** HTML is not even read as such. It would stay text anyway, and a comment could hide where a fence begins. */
function readNoHtml(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: ['htmlFlow', 'htmlText'] } }]
}

const remarkPlugins = [...Object.values(defaultRemarkPlugins), readNoHtml as () => void]

const components: Components = {
  a: ({ href, children }) => <ExternalLink href={href ?? ''}>{children}</ExternalLink>,
  img: ({ alt }) => <span className="text-muted italic">{labels.imageBlocked(alt ?? '')}</span>,
  pre: ({ children }) => <Fence>{children}</Fence>,
  inlineCode: ({ children }) => <InlineCode>{children}</InlineCode>,
  table: ({ children }) => (
    <div className="table-box" {...reachable}>
      <table>{children}</table>
    </div>
  ),
  thead: ({ children }) => <thead>{children}</thead>,
  tbody: ({ children }) => <tbody>{children}</tbody>,
  tr: ({ children }) => <tr>{children}</tr>,
  th: ({ children, style }) => (
    <th dir="auto" style={alignOf(style)}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" style={alignOf(style)}>
      {children}
    </td>
  ),
  // A reply has no headings above those of the page. Their sizes say their level.
  h1: ({ children }) => <h3 {...heading(1)}>{children}</h3>,
  h2: ({ children }) => <h3 {...heading(2)}>{children}</h3>,
  h3: ({ children }) => <h4 {...heading(3)}>{children}</h4>,
  h4: ({ children }) => <h4 {...heading(3)}>{children}</h4>,
  h5: ({ children }) => <h4 {...heading(3)}>{children}</h4>,
  h6: ({ children }) => <h4 {...heading(3)}>{children}</h4>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  li: ({ children, className }) => (
    <li dir="auto" className={className?.includes('task-list-item') ? 'task' : undefined}>
      {children}
    </li>
  ),
  // Only a task of a list has one. It says how the task stands, and nobody can change it here.
  input: ({ checked }) => (
    <input
      type="checkbox"
      disabled
      checked={checked === true}
      aria-label={checked ? labels.taskDone : labels.taskOpen}
    />
  ),
  p: ({ children }) => <p dir="auto">{children}</p>,
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  hr: () => <hr />,
  strong: ({ children }) => <strong>{children}</strong>,
}

function heading(level: 1 | 2 | 3): { readonly dir: 'auto'; readonly className: string } {
  return { dir: 'auto', className: `heading-${level}` }
}

/** Only the alignment of a column; nothing else of a model's style. */
function alignOf(style: CSSProperties | undefined): CSSProperties | undefined {
  const align = style?.textAlign
  return align === 'right' || align === 'center' || align === 'left' ? { textAlign: align } : undefined
}

interface MarkdownProps {
  readonly text: string
  /**
   * True while the text is still growing. Open marks at its end are closed, and it is rendered only as fast as the
   * page can follow.
   */
  readonly writing?: boolean
}

/** A complete text of at most this many characters is rendered as one block. */
const readWhole = 16_000

/** Renders a model's text, without raw HTML and remote images. A link shows its address before it opens. */
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
  const isPlain = useMemo(() => exceedsBounds(text), [text])
  const plain = (
    <p dir="auto" className={classNames(className, 'whitespace-pre-wrap [overflow-wrap:anywhere]')}>
      {text}
    </p>
  )
  if (isPlain) return plain
  return (
    <Boundary resetKey={text} fallback={() => plain}>
      <Streamdown
        {...(className && { className })}
        mode={className ? 'static' : 'streaming'}
        parseIncompleteMarkdown={open}
        parseMarkdownIntoBlocksFn={asOneBlock}
        remarkPlugins={remarkPlugins}
        rehypePlugins={rehypePlugins}
        components={components}
        controls={false}
        skipHtml={false}
      >
        {text}
      </Streamdown>
    </Boundary>
  )
}

/** Removes the line break that the parser adds to the code. */
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
  const openLink = useOpenLink()
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
          <Button size="small" className="h-6" onClick={() => openLink(href)}>
            {labels.openLink}
          </Button>
        </span>
      )}
    </>
  )
}

/** The page waits this many milliseconds for each millisecond of rendering, to stay responsive. */
const rest = 3

/**
 * Returns a growing text only as fast as it can be rendered. A long text takes longer each time, and a page that only
 * renders does not react to clicks.
 */
function usePaced(text: string): string {
  const [shown, setShown] = useState(text)
  const latest = useRef(text)
  latest.current = text
  const cost = useDrawingTime(shown)
  const behind = shown !== text
  useEffect(() => {
    if (!behind) return
    const timer = setTimeout(() => setShown(latest.current), cost.current * rest)
    return () => clearTimeout(timer)
  }, [behind, cost])
  return shown
}

/** Measures how long the component took to render when `value` was new, in milliseconds. */
function useDrawingTime(value: string): { readonly current: number } {
  const time = useRef(0)
  const drawn = useRef<string>(undefined)
  const began = performance.now()
  useLayoutEffect(() => {
    if (drawn.current === value) return
    drawn.current = value
    time.current = performance.now() - began
  })
  return time
}
