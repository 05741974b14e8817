import { type ActionRequest, type Decision, type Interrupt, workModes } from '#shared/model/calls/interrupt.ts'
import { availableActions, cardKind, grantableHosts, optionsOf, runsAgain, wasTried } from '#shared/tools/card.ts'
import { buttonsOf, workModeNames } from '#shared/tools/card-words.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { type Line, lineOf } from '../screen/spans.ts'

/** One key that answers a card. */
export interface CardKey {
  readonly key: string
  readonly word: string
  /** For the help behind `?`. */
  readonly about: string
}

/** The keys that answer a card, in the order of the prompt. */
export function keysOf(
  interrupt: Interrupt,
  request: ActionRequest,
  isCut: boolean,
  editing = false,
): readonly CardKey[] {
  const rest: readonly CardKey[] = [
    ...(isCut ? [{ key: 'v', word: 'view all', about: 'show the whole change and output' }] : []),
    { key: 's', word: 'skip', about: 'decide later; the call keeps waiting' },
    { key: '?', word: 'help', about: 'say what the keys do' },
  ]
  switch (cardKind(interrupt, request)) {
    case 'plan':
      return [...callKeys(interrupt, request, editing), ...modeKeys(interrupt, request, editing), ...rest]
    case 'question':
      return [...optionKeys(request), { key: 't', word: 'type an answer', about: 'answer in your own words' }, ...rest]
    case 'end':
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
      return [...callKeys(interrupt, request, editing), ...answerKeys(request), ...rest]
  }
}

function optionKeys(request: ActionRequest): readonly CardKey[] {
  const count = Math.min(9, optionsOf(request).length)
  return count === 0
    ? []
    : [{ key: count === 1 ? '1' : `1–${count}`, word: 'choose', about: 'answer with this option' }]
}

function answerKeys({ answers = [] }: ActionRequest): readonly CardKey[] {
  const count = Math.min(9, answers.length)
  const key = count === 1 ? '1' : `1–${count}`
  return count === 0 ? [] : [{ key, word: 'its own answers', about: 'answer with one of the agent’s own words' }]
}

/** An approved plan can be carried out in another mode at once. */
function modeKeys(interrupt: Interrupt, request: ActionRequest, editing: boolean): readonly CardKey[] {
  if (!availableActions(interrupt, request, editing).has('approve')) return []
  return workModes.map((mode, index) => ({
    key: `${index + 1}`,
    word: `approve in ${workModeNames[mode]}`,
    about: `approve it, and go on in the mode ${workModeNames[mode]}`,
  }))
}

/** The buttons of the window as keys, in their order and with their words. */
function callKeys(interrupt: Interrupt, request: ActionRequest, editing: boolean): readonly CardKey[] {
  const offered = availableActions(interrupt, request, editing)
  const words = buttonsOf(request, editing)
  const tried = wasTried(request)
  const isPlan = findToolFacts(request.name).isPlan === true
  const again = runsAgain(request)
  const hosts = runsAgain(request) ? grantableHosts(request.effects).join(', ') : ''
  const keys: readonly (CardKey | false)[] = [
    offered.has('approve') && { key: 'y', word: words.approve, about: aboutApprove(request, editing) },
    offered.has('edit') && {
      key: 'e',
      word: words.edit,
      about: again
        ? 'change it in your editor, run that, then look at what it did'
        : 'change it in your editor ($VISUAL, $EDITOR), then look at it again',
    },
    offered.has('edit') &&
      hosts !== '' && {
        key: 'h',
        word: 'allow hosts and run again',
        about: `let it reach ${hosts}, then look at what it did`,
      },
    offered.has('reject') && {
      key: 'n',
      word: words.reject,
      about: isPlan
        ? 'say what should be different'
        : `${tried ? 'drop all that it did' : 'reject it'}, with a reason for the agent if you like`,
    },
    offered.has('some') && { key: 'f', word: words.some, about: 'choose the files that you keep' },
    offered.has('allow') && {
      key: 'a',
      word: words.allow.replace('…', ''),
      about: 'write a rule, so that what fits it no longer asks',
    },
  ]
  return keys.filter((key) => key !== false).map((key) => ({ ...key, word: key.word.toLowerCase() }))
}

function aboutApprove(request: ActionRequest, editing: boolean): string {
  if (findToolFacts(request.name).isPlan) return 'approve it as it stands here, in the mode that there is'
  if (!wasTried(request)) return 'run it exactly as it stands here'
  if (!editing) return 'keep exactly what it did; nothing runs again'
  return runsAgain(request)
    ? 'run it as it stands here, then look at what it did'
    : 'keep the change exactly as it stands here'
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

/** What became of a call, after a person decided. Null for one that is left for later. */
export function decidedLine(request: ActionRequest, decision: Decision | null): Line {
  const tried = wasTried(request)
  switch (decision?.type) {
    case undefined:
      return lineOf('Left for later.', 'dim')
    case 'approve':
      if (!tried) return lineOf('Approved.', 'good')
      return lineOf(decision.paths === undefined ? 'Kept.' : `Kept ${decision.paths.join(', ')}.`, 'good')
    case 'edit':
      if (decision.hold) return lineOf('It runs again. You see what it did before it counts.', 'good')
      return lineOf(tried ? 'Kept as edited.' : 'Approved as edited.', 'good')
    case 'reject': {
      const word = tried ? 'Dropped' : 'Rejected'
      return lineOf(decision.message ? `${word}: ${decision.message}` : `${word}.`, 'warn')
    }
    case 'respond':
      return lineOf(`Answered: ${decision.message}`, 'good')
    case 'run_again':
      return lineOf('It runs again.', 'good')
    case 'mark_done':
      return lineOf('Marked as done.', 'good')
    case 'skip':
      return lineOf('Left unknown. The agent continues.', 'good')
  }
}
