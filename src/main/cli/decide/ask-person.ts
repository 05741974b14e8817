import { type ActionRequest, type Decision, type Interrupt, workModes } from '#shared/model/calls/interrupt.ts'
import {
  answering,
  approval,
  argumentsIn,
  cardKind,
  type Draft,
  draftOf,
  grantableHosts,
  optionsOf,
  rejection,
  wasTried,
} from '#shared/tools/card.ts'
import { notJson } from '#shared/tools/card-words.ts'
import { type Line, lineOf, wrapLine } from '../screen/spans.ts'
import { type Card, cardOf } from './card.ts'
import { helpLines, keysOf, promptLine } from './card-keys.ts'
import { chooseFiles } from './choose-files.ts'
import { chooseRule } from './choose-rule.ts'
import { type Dialogue, pressAgain, pressArmed, say } from './dialogue.ts'
import { editText } from './edit-text.ts'
import { fitCard, wholeCard } from './fit-card.ts'

/**
 * Asks about one call until a person has decided and `settle` has taken the decision. What `settle` refuses is said, and
 * asked again with the person's edit kept. Null when they leave it for later. Rejects when the run is stopped.
 */
export async function askPerson(
  dialogue: Dialogue,
  interrupt: Interrupt,
  request: ActionRequest,
  position: string,
  settle: (decision: Decision) => Promise<string | null>,
): Promise<Decision | null> {
  let draft: Draft | null = null
  for (;;) {
    const card = await loadCard(dialogue, interrupt, request, { draft, position })
    const answer = await answerCard(dialogue, interrupt, request, card, draft)
    if (answer.kind === 'again') {
      draft = answer.draft
      continue
    }
    const { decision } = answer
    const problem = decision === null ? null : await settle(decision)
    if (problem === null) return decision
    say(dialogue, [lineOf(`This was refused: ${problem}${draft === null ? '' : ' Your edit is kept.'}`, 'bad')])
  }
}

async function loadCard(
  { client, projectId }: Dialogue,
  interrupt: Interrupt,
  request: ActionRequest,
  { draft, position }: { readonly draft: Draft | null; readonly position: string },
): Promise<Card> {
  const args = (draft && argumentsIn(request, draft)) ?? request.args
  const call = { projectId, threadId: interrupt.threadId, callId: request.callId, ...(draft && { args }) }
  const preview = await client.approvals.preview(call).catch(() => ({ kind: 'arguments' }) as const)
  if (draft === null) return cardOf(interrupt, request, preview, position)
  // What a call did is not what the edited one will do.
  const { effects: _, ...fresh } = request
  return cardOf(interrupt, { ...fresh, args }, preview, `${position}, edited by you`)
}

type Answer =
  | { readonly kind: 'decided'; readonly decision: Decision | null }
  | { readonly kind: 'again'; readonly draft: Draft | null }

async function answerCard(
  dialogue: Dialogue,
  interrupt: Interrupt,
  request: ActionRequest,
  card: Card,
  draft: Draft | null,
): Promise<Answer> {
  let { lines, isCut } = fitCard(card, dialogue.columns(), roomFor(dialogue, interrupt, request))
  say(dialogue, [rule(dialogue), ...lines])
  let press = pressArmed
  for (;;) {
    const keys = keysOf(interrupt, request, isCut, draft !== null)
    const key = await press(dialogue, promptLine(keys))
    press = pressAgain
    if (key === '?') say(dialogue, helpLines(keys))
    else if (key === 'v' && isCut) {
      ;({ lines, isCut } = wholeCard(card))
      say(dialogue, [rule(dialogue), ...lines])
    } else if (keys.some((one) => one.key === key) || isOption(interrupt, request, key)) {
      const answer = await carryOut(dialogue, interrupt, request, key, draft)
      if (answer !== null) return answer
    }
  }
}

/** Numbers choose among the answers of a question, or of an external agent. Other calls may have an argument of that name. */
function isOption(interrupt: Interrupt, request: ActionRequest, key: string): boolean {
  const isChoice = cardKind(interrupt, request) === 'question' || request.answers !== undefined
  return isChoice && /^[1-9]$/.test(key)
}

/** Does what a key means. Null when the person took it back. */
async function carryOut(
  dialogue: Dialogue,
  interrupt: Interrupt,
  request: ActionRequest,
  key: string,
  draft: Draft | null,
): Promise<Answer | null> {
  const { threadId } = interrupt
  const { callId } = request
  const decided = (decision: Decision | null): Answer => ({ kind: 'decided', decision })
  switch (key) {
    case 'y':
      return decided(approval(request, draft))
    case 'e': {
      const edited = await editCall(dialogue, request, draft)
      return edited && { kind: 'again', draft: edited }
    }
    case 'n': {
      const reason = await typeLine(dialogue, reasonPrompt(interrupt, request))
      return reason === null ? null : decided(rejection(request, reason))
    }
    case 'f': {
      const kept = wasTried(request) ? await chooseFiles(dialogue, request) : null
      return kept && decided(approval(request, null, { kept }))
    }
    case 'h':
      return wasTried(request) ? decided(approval(request, draft, { granted: grantableHosts(request.effects) })) : null
    case 'a':
      return (await chooseRule(dialogue, threadId, request)) ? decided({ type: 'approve', callId }) : null
    case 's':
      return decided(null)
    case 't': {
      const message = await typeLine(dialogue, 'Your answer (Ctrl+D goes back): ')
      if (message === null || message.trim() === '') return null
      // Only nine options have keys, so the others are typed by their number.
      const options = optionsOf(request)
      const numbered = options.length > 9 ? options[Number(message) - 1] : undefined
      return decided({ type: 'respond', callId, message: numbered ?? message })
    }
    case 'r':
      return decided({ type: 'run_again', callId })
    case 'd':
      return decided({ type: 'mark_done', callId })
    case 'u':
      return decided({ type: 'skip', callId })
    default: {
      if (cardKind(interrupt, request) === 'plan') {
        const mode = workModes[Number(key) - 1]
        return mode === undefined ? null : decided(approval(request, draft, { mode }))
      }
      const offered = request.answers?.[Number(key) - 1]
      if (request.answers !== undefined) return offered ? decided(answering(request, offered)) : null
      const message = optionsOf(request)[Number(key) - 1]
      return message === undefined ? null : decided({ type: 'respond', callId, message })
    }
  }
}

/** The end of the name of the file in which an argument is edited; all of them together as JSON. */
const endings: Readonly<Record<string, string>> = { '': '.json', command: '.sh', plan: '.md' }

/** Lets the person change the call in their editor until it can run. Null when they leave it as it was. */
async function editCall(dialogue: Dialogue, request: ActionRequest, draft: Draft | null): Promise<Draft | null> {
  let current = draft ?? draftOf(request)
  for (;;) {
    const ending = endings[current.argument ?? ''] ?? '.txt'
    const { region, keyboard, environment } = dialogue
    region.clear()
    const edited = await keyboard.lend(() => editText(current.text, ending, environment))
    if (!edited.ok) {
      say(dialogue, [lineOf(edited.why, 'bad')])
      return null
    }
    const text = current.argument === null ? edited.text : edited.text.replace(/\n$/, '')
    current = { ...current, text }
    if (argumentsIn(request, current) !== null) return current
    say(dialogue, [lineOf(`${notJson} Your text is kept.`, 'bad')])
    const again = await pressArmed(
      dialogue,
      promptLine([
        { key: 'e', word: 'edit again', about: '' },
        { key: 'q', word: 'leave it as it was', about: '' },
      ]),
    )
    if (again === 'q') return null
  }
}

function reasonPrompt(interrupt: Interrupt, request: ActionRequest): string {
  return cardKind(interrupt, request) === 'plan'
    ? 'What should be different (Ctrl+D goes back): '
    : 'Reason for the agent (Enter for none, Ctrl+D goes back): '
}

async function typeLine({ region, keyboard, signal }: Dialogue, prompt: string): Promise<string | null> {
  region.clear()
  return keyboard.line(prompt, signal)
}

function rule({ columns }: Dialogue): Line {
  return lineOf('─'.repeat(Math.max(1, Math.min(columns() - 1, 60))), 'dim')
}

/** The rows for a card, so that it stands on the screen together with its longest prompt and the line above it. */
function roomFor({ columns, rows }: Dialogue, interrupt: Interrupt, request: ActionRequest): number {
  return rows() - wrapLine(promptLine(keysOf(interrupt, request, true)), Math.max(1, columns() - 1)).length - 2
}
