import type { CallPreviewView } from '#shared/contract/views/files.ts'
import type { ActionRequest, Interrupt } from '#shared/model/interrupt.ts'
import { plural } from '#shared/text/plural.ts'
import { allowedDecisions, availableActions, cardKind, oddCharactersOf } from '#shared/tools/approval-choices.ts'
import { grantableHosts, type HeldRequest, heldFiles, isHeld } from '#shared/tools/held-choices.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { previewLines } from './diff-lines.ts'
import { deedOf, heldLines, hiddenOutput } from './held-lines.ts'

/** Lines of a change that are shown before a person asks for all of it. */
const shownAtFirst = 40

/** A call that waits, as a person reads it before they decide. */
export interface Card {
  readonly head: Line
  /** What would run, and why it asks. It is never left out. */
  readonly body: readonly Line[]
  /** The first of what it would change, or what a held call changed. */
  readonly change: readonly Line[]
  /** The rest, for a person who wants to see all. */
  readonly hidden: readonly Line[]
}

const riskWords = { low: 'Low risk', medium: 'Medium risk', high: 'High risk' } as const

export function cardOf(interrupt: Interrupt, request: ActionRequest, preview: CallPreviewView, position: string): Card {
  const kind = cardKind(interrupt, request)
  const change = kind === 'approval' ? previewLines(preview) : []
  const head: Line = [{ text: interrupt.agent, tone: 'strong' }, { text: ` ${wishOf(kind, request)}${position}` }]
  if (kind === 'question') return { head, body: questionLines(request), change: [], hidden: [] }
  const [first, rest] = splitLines(change)
  if (!isHeld(request))
    return {
      head,
      body: [...callLines(request, change.length > 0), ...reasonLines(request)],
      change: first,
      hidden: rest,
    }
  return {
    head,
    body: [...callLines(request, false), ...namedFiles(request), ...heldLines(interrupt, request)],
    change: first,
    hidden: [...hiddenOutput(request), ...rest],
  }
}

/** A single line is not worth a key. */
function splitLines(lines: readonly Line[]): readonly [readonly Line[], readonly Line[]] {
  return lines.length <= shownAtFirst + 1 ? [lines, []] : [lines.slice(0, shownAtFirst), lines.slice(shownAtFirst)]
}

function wishOf(kind: ReturnType<typeof cardKind>, request: ActionRequest): string {
  if (isHeld(request)) return deedOf(request)
  const { name } = request
  if (kind === 'question') return 'asks you'
  if (kind === 'outcome') return `called ${name}, and nobody knows whether it had its effect`
  return findToolFacts(name).access.command === null ? `wants to use ${name}` : 'wants to run a command'
}

/** The exact arguments. Those that the change shows are left to it. */
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
  if (hasChange) return []
  return rest.map(([key, value]) => lineOf(`  ${key}: ${JSON.stringify(value)}`))
}

function reasonLines(request: ActionRequest): readonly Line[] {
  const { description, risk, riskReason, rule, environment } = request
  return [
    lineOf(`  ${description}`, 'dim'),
    [
      { text: `  ${riskWords[risk]}`, tone: risk === 'low' ? 'good' : risk === 'medium' ? 'warn' : 'bad' },
      { text: `${riskReason === undefined ? '' : `: ${riskReason}`} · asked by: ${rule}`, tone: 'dim' },
    ],
    ...namedFiles(request),
    ...(environment === undefined ? [] : [lineOf(`  Environment: ${environment}`, 'dim')]),
  ]
}

/** What a command line does not show to the eye. */
function namedFiles(request: ActionRequest): readonly Line[] {
  const { changedBefore = [], scripts = [] } = request
  const listed = (title: string, names: readonly string[]): readonly Line[] =>
    names.length === 0 ? [] : [lineOf(`  ${title} ${names.join(', ')}`, 'warn')]
  return [
    ...listed('Not what they look like:', oddCharactersOf(request)),
    ...listed('Changed by the same reply before this runs:', isHeld(request) ? [] : changedBefore),
    ...listed('It uses files that agents changed:', scripts),
  ]
}

function questionLines(request: ActionRequest): readonly Line[] {
  const question = typeof request.args.question === 'string' ? request.args.question : request.description
  return [
    ...plainWords(question)
      .split('\n')
      .map((line) => lineOf(`  ${line}`)),
    ...optionsOf(request).map((option, index): Line => [{ text: `  ${index + 1} `, tone: 'accent' }, { text: option }]),
  ]
}

/** The answers that a question offers. */
export function optionsOf({ args }: ActionRequest): readonly string[] {
  const { options } = args
  return Array.isArray(options) ? options.filter((option): option is string => typeof option === 'string') : []
}

/** One key that answers a card. */
export interface CardKey {
  readonly key: string
  readonly word: string
  /** For the help behind `?`. */
  readonly about: string
}

const skipKey: CardKey = { key: 's', word: 'skip', about: 'decide later; the call keeps waiting' }
const helpKey: CardKey = { key: '?', word: 'help', about: 'say what the keys do' }

/** The keys that answer a card, in the order of the prompt. */
export function keysOf(
  interrupt: Interrupt,
  request: ActionRequest,
  hasMore: boolean,
  editing = false,
): readonly CardKey[] {
  const all: CardKey = { key: 'v', word: 'view all', about: 'show the whole change and output' }
  const rest = [...(hasMore ? [all] : []), skipKey, helpKey]
  switch (cardKind(interrupt, request)) {
    case 'question':
      return [...optionKeys(request), { key: 't', word: 'type an answer', about: 'answer in your own words' }, ...rest]
    case 'outcome':
      return [
        { key: 'r', word: 'run again', about: 'run exactly this once more' },
        { key: 'd', word: 'mark done', about: 'it had its effect; the agent is told so and continues' },
        {
          key: 'u',
          word: 'leave unknown',
          about: 'nobody knows whether it had its effect; the agent is told so and continues',
        },
        ...rest,
      ]
    case 'approval':
      return [...(isHeld(request) ? heldKeys(interrupt, request, editing) : approvalKeys(interrupt, request)), ...rest]
  }
}

function optionKeys(request: ActionRequest): readonly CardKey[] {
  const count = Math.min(9, optionsOf(request).length)
  return count === 0
    ? []
    : [{ key: count === 1 ? '1' : `1–${count}`, word: 'choose', about: 'answer with this option' }]
}

function approvalKeys(interrupt: Interrupt, request: ActionRequest): readonly CardKey[] {
  const offered = availableActions(interrupt, request, false)
  const mayReject = allowedDecisions(interrupt, request).includes('reject')
  return [
    ...(offered.has('approve') ? [{ key: 'y', word: 'approve', about: 'run it exactly as it stands here' }] : []),
    ...(offered.has('edit')
      ? [{ key: 'e', word: 'edit', about: 'change it in your editor ($VISUAL, $EDITOR), then look at it again' }]
      : []),
    ...(mayReject ? [{ key: 'n', word: 'reject', about: 'reject it, with a reason for the agent if you like' }] : []),
    ...(offered.has('allow')
      ? [{ key: 'a', word: 'always', about: 'write a rule so that calls like this one no longer ask' }]
      : []),
  ]
}

const keepKey: CardKey = { key: 'y', word: 'keep', about: 'keep exactly what it did; nothing runs again' }
const againKey: CardKey = { key: 'y', word: 'run again', about: 'run it as it stands here, then look at what it did' }

function heldKeys(interrupt: Interrupt, request: HeldRequest, editing: boolean): readonly CardKey[] {
  const offered = availableActions(interrupt, request, editing)
  const hosts = grantableHosts(request.effects).join(', ')
  const edits = offered.has('edit')
  return [
    ...(offered.has('approve') ? [editing ? againKey : keepKey] : []),
    ...(edits
      ? [
          {
            key: 'e',
            word: 'edit and run again',
            about: 'change it in your editor, run that, then look at what it did',
          },
        ]
      : []),
    ...(edits && hosts !== ''
      ? [{ key: 'h', word: 'allow hosts and run again', about: `let it reach ${hosts}, then look at what it did` }]
      : []),
    ...(offered.has('reject')
      ? [{ key: 'n', word: 'drop', about: 'drop all that it did, with a reason for the agent if you like' }]
      : []),
    ...(offered.has('approve') && !editing && heldFiles(request.effects).length > 1
      ? [{ key: 'f', word: 'keep some files', about: 'choose the files that you keep' }]
      : []),
    ...(offered.has('allow')
      ? [{ key: 'a', word: 'always', about: 'write a rule so that what fits it is kept by itself' }]
      : []),
  ]
}

/** The prompt below a card: `y approve · n reject`. */
export function promptLine(keys: readonly CardKey[]): Line {
  return keys.flatMap(
    ({ key, word }, index): Line => [
      { text: index === 0 ? '' : ' · ', tone: 'dim' },
      { text: key, tone: 'accent' },
      { text: ` ${word}` },
    ],
  )
}

/** What the keys do. */
export function helpLines(keys: readonly CardKey[]): readonly Line[] {
  const own = keys.map(({ key, about }): Line => [{ text: `  ${key.padEnd(4)}`, tone: 'accent' }, { text: about }])
  return [...own, lineOf('  Ctrl+C stops the agents; coppice resume goes on later', 'dim')]
}

/** How many lines of a change are not shown. */
export function leftOutLine(count: number): Line {
  return lineOf(`  and ${plural(count, 'more line', 'more lines')} (v shows them)`, 'dim')
}
