import { type Line, lineOf, type Span, type Tone } from '../screen/spans.ts'

/** One thing that happened, before it is laid out: whose it is, and what it says. */
export interface ShownLine {
  /** The agent's name; null for Coppice itself. */
  readonly agent: string | null
  readonly line: Line
  /** `call` stands behind a mark, `text` is what the agent said, `note` is about the run. */
  readonly kind: 'text' | 'call' | 'failed' | 'note'
  /** True for what also a quiet run shows. */
  readonly isProblem?: true
}

/** A remark about the run of an agent. */
export function noteOf(agent: string | null, text: string, tone: Tone = 'dim'): ShownLine {
  return { agent, line: lineOf(text, tone), kind: 'note' }
}

/** Something that a person has to know even of a quiet run. */
export function problemOf(agent: string | null, text: string, tone: Tone = 'bad'): ShownLine {
  return { agent, line: lineOf(text, tone), kind: 'note', isProblem: true }
}

/** `+2 −1` in colours. Empty when the lines were not counted. */
export function countSpans(counts: { readonly added: number | null; readonly removed: number | null } | null): Line {
  if (counts === null || counts.added === null || counts.removed === null) return []
  return [
    { text: `+${counts.added}`, tone: 'good' },
    { text: ' ' },
    { text: `−${counts.removed}`, tone: 'bad' },
  ] satisfies readonly Span[]
}
