import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import { type ActionRequest, type Decision, type Interrupt, workModes } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import {
  approval,
  availableActions,
  cardKind,
  grantableHosts,
  optionsOf,
  rejection,
  runsAgain,
  wasTried,
} from '#shared/tools/card.ts'
import { buttonsOf, workModeNames } from '#shared/tools/card-words.ts'
import { cardOf } from '../decide/card.ts'
import { callIdOf, kindOf, locationsOf, textContent, titleOf } from './updates/call-updates.ts'
import { type Scene, subagentName } from './updates/scene.ts'
import { linesText } from './updates/shown-text.ts'

/** One answer that an editor offers, and what it means. */
interface Answer {
  readonly option: PermissionOption
  /** Null to leave the call waiting. */
  readonly decision: Decision | null
  /** Rules that the person allows besides. */
  readonly rules?: readonly string[]
}

/** A question of Coppice as a request for permission. */
export interface Question {
  readonly request: RequestPermissionRequest
  /** What an answer means; undefined for one that was not offered. */
  readonly answerOf: (optionId: string) => Omit<Answer, 'option'> | undefined
}

/** Rules of one call that are offered. The first allows exactly the call. */
const mostRules = 2

/** What an editor is asked about a call that waits. A person can change a call only in the window or at a terminal. */
export async function questionAbout(
  scene: Scene,
  client: DirectClient,
  interrupt: Interrupt,
  request: ActionRequest,
): Promise<Question> {
  const { project, root, calls } = scene
  const { threadId } = interrupt
  const { callId, name, args } = request
  const id = callIdOf(root, threadId, callId)
  const call = { projectId: project.info().id, threadId, callId }
  const preview = await client.approvals.preview(call).catch(() => ({ kind: 'arguments' }) as const)
  const isPlan = cardKind(interrupt, request) === 'plan'
  const card = cardOf(interrupt, request, preview, '')
  const shown = [...card.header, ...(isPlan ? card.change.lines : []), ...card.notes, ...card.output]
  const content: ToolCallContent[] = [...(calls.get(id)?.diffs ?? []), textContent(linesText(shown))]
  const answers = await answersTo(client, call, interrupt, request)
  return {
    request: {
      sessionId: root,
      toolCall: {
        ...{ toolCallId: id, name, kind: kindOf(name), status: 'pending', rawInput: args, content },
        title: titleOf(subagentName(scene, threadId), name, args),
        locations: locationsOf(project, name, args),
      },
      options: answers.map(({ option }) => option),
    },
    answerOf: (optionId) => answers.find(({ option }) => option.optionId === optionId),
  }
}

type Call = { readonly projectId: ReturnType<Scene['project']['info']>['id']; readonly threadId: ThreadId } & Pick<
  ActionRequest,
  'callId'
>

async function answersTo(
  client: DirectClient,
  call: Call,
  interrupt: Interrupt,
  request: ActionRequest,
): Promise<readonly Answer[]> {
  const { callId } = request
  switch (cardKind(interrupt, request)) {
    case 'question':
      return [
        ...optionsOf(request).map((message, index) =>
          answer(`answer-${index}`, message, 'allow_once', { type: 'respond', callId, message }),
        ),
        answer('later', 'Answer in the chat', 'reject_once', null),
      ]
    case 'end':
      return [
        answer('run_again', 'Run again', 'allow_once', { type: 'run_again', callId }),
        answer('mark_done', 'Mark done', 'allow_once', { type: 'mark_done', callId }),
        answer('skip', 'Leave unknown', 'reject_once', { type: 'skip', callId }),
      ]
    case 'plan':
      return planAnswers(interrupt, request)
    case 'approval':
      return approvalAnswers(client, call, interrupt, request)
  }
}

/** Approved, in each mode. What should be different is said with the next message. */
function planAnswers(interrupt: Interrupt, request: ActionRequest): readonly Answer[] {
  const { callId } = request
  const offered = availableActions(interrupt, request, false)
  const approvals = offered.has('approve')
    ? [
        ...workModes.map((mode) =>
          answer(`approve-${mode}`, `Approve, go on in ${workModeNames[mode]}`, 'allow_once', {
            ...{ type: 'approve', callId, mode },
          }),
        ),
        answer('approve', 'Approve, keep the mode', 'allow_once', { type: 'approve', callId }),
      ]
    : []
  return [...approvals, answer('later', 'Say in the chat what should be different', 'reject_once', null)]
}

/** The buttons of the window, in its words and its order. */
async function approvalAnswers(
  client: DirectClient,
  call: Call,
  interrupt: Interrupt,
  request: ActionRequest,
): Promise<readonly Answer[]> {
  const offered = availableActions(interrupt, request, false)
  const words = buttonsOf(request, false)
  const hosts = runsAgain(request) && offered.has('edit') ? grantableHosts(request.effects) : []
  const approve: Decision = { type: 'approve', callId: request.callId }
  const proposed = offered.has('allow') ? await client.approvals.proposeRules(call).catch(() => null) : null
  const rules = (proposed?.proposals ?? []).slice(0, mostRules)
  return [
    ...(offered.has('approve') ? [answer('approve', words.approve, 'allow_once', approve)] : []),
    ...rules.map((add, index) => ({
      ...answer(`always-${index}`, `Always allow ${add.join(', ')}`, 'allow_always', approve),
      rules: add,
    })),
    ...(hosts.length > 0
      ? [
          answer(
            'hosts',
            `Allow ${hosts.join(', ')} and run again`,
            'allow_once',
            approval(request, null, { granted: hosts }),
          ),
        ]
      : []),
    ...(offered.has('reject') ? [answer('reject', words.reject, 'reject_once', rejection(request, ''))] : []),
    ...(offered.has('approve') || offered.has('reject')
      ? []
      : [answer('later', wasTried(request) ? 'Decide later' : 'Leave it', 'reject_once', null)]),
  ]
}

function answer(optionId: string, name: string, kind: PermissionOption['kind'], decision: Decision | null): Answer {
  return { option: { optionId, name, kind }, decision }
}
