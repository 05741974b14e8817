import { exceedsBounds } from './markdown-bounds.ts'

/** A piece of Markdown that is rendered on its own, or the code of a fence without the fence. */
interface Block {
  readonly kind: 'prose' | 'code'
  /** The language a fence names; empty for none. */
  readonly language: string
  readonly text: string
  /** The index in the whole text where the block begins. */
  readonly at: number
}

export interface Blocks {
  readonly text: string
  readonly blocks: readonly Block[]
}

/** The number of last blocks of a growing text that later text can change: a list can go on after an empty line. */
const unsettled = 3
/** A line of prose with more characters than this is rendered in pieces. */
const pieceLength = 3_000

const fence = /^(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*\n/
const nextFence = /\n(?:`{3,}[^`\n]*|~{3,}[^\n]*)\n/g

/**
 * Splits Markdown into blocks that can be rendered one by one. If the text continues `before`, all blocks except the
 * last ones are kept, so that the cost depends only on the new text.
 */
export function splitBlocks(text: string, before: Blocks | null): Blocks {
  const kept = before && text.startsWith(before.text) ? before.blocks.slice(0, -unsettled) : []
  const resume = before?.blocks[kept.length]
  let at = kept.length > 0 && resume ? resume.at : 0
  const blocks = [...kept]
  while (at < text.length) {
    const found = fence.exec(text.slice(at, at + 200))
    const end = found ? endOfFence(text, at + found[0].length, found[1] ?? '') : startOfNextFence(text, at)
    if (found)
      blocks.push({
        kind: 'code',
        language: found[2] ?? '',
        text: codeIn(text.slice(at + found[0].length, end)),
        at,
      })
    else blocks.push(...proseBlocks(text.slice(at, end), at))
    at = end
  }
  return { text, blocks }
}

function startOfNextFence(text: string, from: number): number {
  nextFence.lastIndex = from
  const found = nextFence.exec(text)
  return found ? found.index + 1 : text.length
}

/** The index after the closing line, or the end of the text if the fence is not closed yet. */
function endOfFence(text: string, from: number, marks: string): number {
  const closing = new RegExp(`(?:^|\\n) {0,3}${marks}[${marks[0]}]*[ \\t]*(?:\\n|$)`, 'g')
  closing.lastIndex = from - 1
  const found = closing.exec(text)
  return found ? found.index + found[0].length : text.length
}

function codeIn(lines: string): string {
  return lines.replace(/(?:^|\n) {0,3}(?:`{3,}|~{3,})[ \t]*\n?$/, '').replace(/\n$/, '')
}

function proseBlocks(text: string, at: number): readonly Block[] {
  return cutLongLines(text).flatMap((part) => {
    const from = at
    at += part.text.length
    return placeBlocks(part.cut ? [part.text] : splitProse(part.text), part.text, from)
  })
}

const emptyLines = /\n[ \t]*\n(?:[ \t]*\n)*/g
const itemAtStart = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/m
/** Of a link or a footnote. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * Splits at empty lines. They end every block except a fence and a list, which goes on with an item or an indented
 * line. Text with definitions stays whole, because any block can refer to them.
 */
function splitProse(text: string): readonly string[] {
  if (exceedsBounds(text) || definition.test(text)) return [text]
  const parts: string[] = []
  let [start, read] = [0, 0]
  let marks: string | null = null
  for (const { 0: lines, index } of text.matchAll(emptyLines)) {
    const next = index + lines.length
    const end = text.indexOf('\n', next)
    const line = text.slice(next, end === -1 ? text.length : end)
    marks = fenceAfter(text.slice(read, index), marks)
    read = next
    if (marks !== null) continue
    if (/^(?:[ \t]|$)/.test(line)) continue
    if (itemAtStart.test(line) && itemAtStart.test(text.slice(start, index))) continue
    parts.push(text.slice(start, next))
    start = next
  }
  return [...parts, text.slice(start)]
}

const fenceMarks = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** The marks of the fence that is open after these lines. `marks` are those of one that is open before them. */
function fenceAfter(lines: string, marks: string | null): string | null {
  for (const line of lines.split('\n')) {
    const [, found = '', after = ''] = fenceMarks.exec(line) ?? []
    if (found === '') continue
    if (marks === null) marks = found
    else if (found.startsWith(marks) && after.trim() === '') marks = null
  }
  return marks
}

/** Gives each part its place. If the parts do not add up to the whole text, the whole text is one block. */
function placeBlocks(parts: readonly string[], whole: string, from: number): readonly Block[] {
  let at = from
  const isWhole = parts.reduce((sum, part) => sum + part.length, 0) === whole.length
  return (isWhole ? parts : [whole]).flatMap((part) => {
    const block: Block = { kind: 'prose', language: '', text: part.trimEnd(), at }
    at += part.length
    return block.text === '' ? [] : [block]
  })
}

interface Part {
  readonly text: string
  /** True for a piece of a longer paragraph. */
  readonly cut: boolean
}

/** Splits long lines into pieces. What remains of a long line is joined with the lines after it. */
function cutLongLines(text: string): readonly Part[] {
  const parts: Part[] = []
  let [start, line] = [0, 0]
  while (text.length - line > pieceLength) {
    const end = text.indexOf('\n', line) + 1 || text.length
    if (end - line > pieceLength && isPlain(text, line)) {
      if (line > start) parts.push({ text: text.slice(start, line), cut: false })
      const cut = pieces(text.slice(line, end))
      parts.push(...cut.map((piece) => ({ text: piece, cut: true })))
      start = cut.reduce((sum, piece) => sum + piece.length, line)
    }
    line = end
  }
  return start < text.length ? [...parts, { text: text.slice(start), cut: false }] : parts
}

/** Whether the line begins like a paragraph. Tables, lists and quotations are not split. */
function isPlain(text: string, at: number): boolean {
  return /^[^\s>#|*+\-\d`~<[]/.test(text.charAt(at))
}

/** Splits a line into pieces. What remains after the last piece is not included. */
function pieces(line: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  while (line.length - start > pieceLength) {
    const end = endOfSentence(line, start)
    if (end === -1) break
    parts.push(line.slice(start, end))
    start = end
  }
  return parts
}

/**
 * The end of the first sentence that is at least a piece long and outside emphasis, code and links. -1 if there is
 * none yet.
 */
function endOfSentence(line: string, start: number): number {
  const from = start + pieceLength
  for (let at = line.indexOf(' ', from); at !== -1; at = line.indexOf(' ', at + 1)) {
    const mayEnd = /[.!?:;,]/.test(line.charAt(at - 1)) || at > from + pieceLength
    if (mayEnd && isPlain(line, at + 1) && isBalanced(line.slice(start, at))) return at + 1
  }
  return -1
}

function isBalanced(text: string): boolean {
  const count = (mark: string): number => text.split(mark).length - 1
  return ['`', '**', '*', '_', '~~'].every((mark) => count(mark) % 2 === 0) && count('[') === count(']')
}
