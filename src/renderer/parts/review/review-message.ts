import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { LineRange } from '../../ui/diff/line-range.ts'
import type { LineComment } from './line-comment.ts'

const title = 'Review comments on your changes:'
/** The most lines of a quote that are sent. The quote only shows the place, because the agent can read the file. */
const quotedAtMost = 30

/** Writes comments as one message to an agent. */
export function writeReview(comments: readonly LineComment[]): string {
  return [title, ...comments.map(writeComment)].join('\n\n')
}

/** Reads the comments back from such a message, for display. Null for any other text. */
export function readReview(text: string): readonly LineComment[] | null {
  const [first, ...blocks] = text.split(/\n\n(?=### )/)
  if (first !== title || blocks.length === 0) return null
  const comments = blocks.map(readComment)
  return comments.every((comment) => comment !== null) ? comments : null
}

/** Names a range: `lines 3-5`, `removed line 7`. */
export function placeOf({ side, from, to }: LineRange): string {
  const lines = from === to ? `line ${from}` : `lines ${from}-${to}`
  return side === 'old' ? `removed ${lines}` : lines
}

/** Comments on the document that an agent handed in, as one part of a message to it. */
export function writeDocumentComments(comments: readonly LineComment[]): string {
  return comments.map((comment) => commentUnder(placeOf(comment.range).replace('line', 'Line'), comment)).join('\n\n')
}

function writeComment(comment: LineComment): string {
  return commentUnder(`${comment.path}, ${placeOf(comment.range)}`, comment)
}

function commentUnder(name: string, { quote, text }: LineComment): string {
  const left = quote.length - quotedAtMost
  const shown = left > 0 ? [...quote.slice(0, quotedAtMost), `… and ${left} more`] : quote
  return [`### ${name}`, ...shown.map((line) => `> ${line}`), text].join('\n')
}

const heading = /^### (.+), (removed )?lines? (\d+)(?:-(\d+))?$/

function readComment(block: string): LineComment | null {
  const [first = '', ...rest] = block.split('\n')
  const [, path, removed, from, to = from] = heading.exec(first) ?? []
  if (path === undefined) return null
  const end = rest.findIndex((line) => !line.startsWith('> '))
  const quoted = end === -1 ? rest.length : end
  return {
    path: path as VirtualPath,
    range: { side: removed ? 'old' : 'new', from: Number(from), to: Number(to) },
    quote: rest.slice(0, quoted).map((line) => line.slice(2)),
    text: rest.slice(quoted).join('\n'),
  }
}
