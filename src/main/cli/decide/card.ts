import type { CallPreviewView } from '#shared/contract/views/files.ts'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import { outputLines, printedLines } from '#shared/text/command-output.ts'
import { oneLine, printableJson } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import {
  cardKind,
  editsFiles,
  hasFailed,
  oddCharactersOf,
  optionsOf,
  showsOutput,
  type TriedRequest,
  wasTried,
} from '#shared/tools/card.ts'
import {
  changedByText,
  changedText,
  endOf,
  headerOf,
  nameLists,
  noOutput,
  notesAfter,
  notesBefore,
  rememberedAnswer,
  riskWords,
  timeOf,
} from '#shared/tools/card-words.ts'
import { type AskedOption, questionsIn, questionText } from '#shared/tools/questions.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { type Line, lineOf, type Span } from '../screen/spans.ts'
import { type Change, changeOf } from './change-lines.ts'

/** A call that waits, as a person reads it before they decide: header, change, output. The keys stand in the prompt. */
export interface Card {
  /** Who asks for what, exactly, and what a person must know first. It is never left out. */
  readonly header: readonly Line[]
  /** What it changed or would change. */
  readonly change: Change
  /** What a call printed that was tried; empty for the others. */
  readonly output: readonly Line[]
  /** What it touched beside these. It is never left out. */
  readonly notes: readonly Line[]
}

/** The card of a request. `position` is ` (1 of 3)`, or empty. */
export function cardOf(interrupt: Interrupt, request: ActionRequest, preview: CallPreviewView, position: string): Card {
  const kind = cardKind(interrupt, request)
  const head: Line = [{ text: interrupt.agent, tone: 'strong' }, { text: ` ${headerOf(request, kind)}${position}` }]
  const none = { files: [], lines: [] }
  if (kind === 'question')
    return { header: [head, ...changedLines(request), ...questionLines(request)], change: none, output: [], notes: [] }
  if (kind === 'plan')
    return {
      ...{ header: [head, ...changedLines(request)], change: { files: [], lines: planLines(request) } },
      ...{ output: [], notes: [] },
    }
  const tried = wasTried(request) ? request : null
  const change = kind === 'approval' ? changeOf(tried, preview) : none
  return {
    header: [
      head,
      tried ? endLine(tried) : riskLine(request),
      ...(tried ? notesBefore(interrupt, tried).map(noteLine) : [lineOf(`  ${request.description}`, 'dim')]),
      ...callLines(request, editsFiles(request) && change.lines.length > 0),
      ...changedLines(request),
      ...namedFiles(request),
      ...ownAnswers(request),
    ],
    change,
    output: tried ? outputOf(tried) : [],
    notes: tried ? notesAfter(tried).map(noteLine) : environmentLines(request),
  }
}

function noteLine({ text, warns }: { readonly text: string; readonly warns: boolean }): Line {
  return lineOf(`  ${text}`, warns ? 'warn' : 'dim')
}

/** `exit 0 · 1.2 s · changed 3 files, deleted 1`. */
export function endText(request: TriedRequest): string {
  const parts = [endOf(request), timeOf(request), changedText(request.effects)]
  return [...new Set(parts)]
    .flatMap((part) => (part === null ? [] : part.slice(0, 1).toLowerCase() + part.slice(1)))
    .join(' · ')
}

function endLine(request: TriedRequest): Line {
  const end = endOf(request)
  const [text, rest] = [endText(request), ` · asked by: ${request.rule}`]
  if (end === null) return lineOf(`  ${text}${rest}`, 'dim')
  return [
    { text: `  ${text.slice(0, end.length)}`, tone: hasFailed(request) ? 'bad' : 'good' },
    { text: `${text.slice(end.length)}${rest}`, tone: 'dim' },
  ]
}

function riskLine({ risk, riskReason, rule }: ActionRequest): Line {
  return [
    { text: `  ${riskWords[risk]}`, tone: risk === 'low' ? 'good' : risk === 'medium' ? 'warn' : 'bad' },
    { text: `${riskReason === undefined ? '' : `: ${riskReason}`} · asked by: ${rule}`, tone: 'dim' },
  ]
}

/** The exact arguments. Those of a change of files are left to the change. */
function callLines({ name, args }: ActionRequest, hasChange: boolean): readonly Line[] {
  const { code } = findToolFacts(name)
  const text = code === undefined ? undefined : args[code.argument]
  const rest = Object.entries(args).filter(([key]) => key !== code?.argument)
  if (typeof text === 'string') {
    return [
      ...text.split('\n').map(
        (line, index): Line => [
          { text: index === 0 ? '  $ ' : '    ', tone: 'dim' },
          { text: line, tone: 'strong' },
        ],
      ),
      ...rest.map(([key, value]) => lineOf(`    ${key}: ${JSON.stringify(value)}`, 'dim')),
    ]
  }
  return hasChange ? [] : Object.entries(args).map(([key, value]) => lineOf(`  ${key}: ${JSON.stringify(value)}`))
}

/** What a command line does not show to the eye. */
function namedFiles(request: ActionRequest): readonly Line[] {
  const { changedBefore = [], scripts = [] } = request
  const listed = (title: string, names: readonly string[]): readonly Line[] =>
    names.length === 0 ? [] : [lineOf(`  ${title} ${names.join(', ')}`, 'warn')]
  return [
    ...listed(nameLists.odd, oddCharactersOf(request)),
    ...listed(nameLists.changedBefore, wasTried(request) ? [] : changedBefore),
    ...listed(nameLists.scripts, scripts),
  ]
}

/** Characters of what the agent had sent, so that the call itself stays in sight. */
const mostGiven = 2_000

/** Who gave the call its arguments in the agent's place, and what the agent had sent. */
function changedLines({ changed }: ActionRequest): readonly Line[] {
  if (changed === undefined) return []
  const given = beginningOf(printableJson(changed.given), mostGiven)
  return [lineOf(`  ${changedByText(oneLine(changed.by))} ${given}`, 'warn')]
}

/** The plan as it was written. */
function planLines({ args: { plan } }: ActionRequest): readonly Line[] {
  return typeof plan === 'string' ? plan.split('\n').map((line) => lineOf(line)) : []
}

function environmentLines({ environment }: ActionRequest): readonly Line[] {
  return environment === undefined ? [] : [lineOf(`  Environment: ${environment}`, 'dim')]
}

function questionLines(request: ActionRequest): readonly Line[] {
  const question = questionText(request.args) || request.description
  return [
    ...plainWords(question)
      .split('\n')
      .map((line) => lineOf(`  ${line}`)),
    ...optionsOf(request).map((option, index): Line => [{ text: `  ${index + 1} `, tone: 'accent' }, { text: option }]),
    ...questionsIn(request.args).flatMap(({ options }) => options.flatMap(previewLines)),
  ]
}

const mostPreviewLines = 12

function previewLines({ label, preview }: AskedOption): readonly Line[] {
  if (preview === undefined) return []
  const lines = preview.text.trimEnd().split('\n')
  const more = lines.length - mostPreviewLines
  return [
    lineOf(`  ${label}:`, 'dim'),
    ...lines.slice(0, mostPreviewLines).map((line): Line => [{ text: '  │ ', tone: 'dim' }, { text: line }]),
    ...(more > 0 ? [lineOf(`  │ and ${plural(more, 'more line', 'more lines')}`, 'dim')] : []),
  ]
}

/** What a call printed that was tried, or why it failed. Empty where its change says all. */
function outputOf(request: TriedRequest): readonly Line[] {
  if (!showsOutput(request)) return []
  const { output, secrets, exit_code: code } = request.effects
  const lines = printedLines(outputLines(output, secrets), code)
  if (lines.length === 0) return [lineOf(`  ${noOutput}`, 'dim')]
  return lines.map((line) => [
    { text: '  │ ', tone: 'dim' },
    ...line.map(({ text, secret }): Span => ({ text, ...(secret && { tone: 'warn' }) })),
  ])
}

/** The answers that an external agent offers, each behind the key that chooses it. */
function ownAnswers({ answers = [] }: ActionRequest): readonly Line[] {
  return answers
    .slice(0, 9)
    .map(
      ({ name, remembered }, index): Line => [
        { text: `  ${index + 1} `, tone: 'accent' },
        { text: name },
        { text: remembered ? `  (${rememberedAnswer})` : '', tone: 'dim' },
      ],
    )
}
