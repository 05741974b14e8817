import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import { textOf } from '#shared/model/message.ts'
import { shownName } from '#shared/text/control-characters.ts'
import type { RequestMessage } from '../../ports/model-client.ts'
import { gradeAgain, gradePrompt, gradeTask } from '../../prompts/grade.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { askModel } from '../model/request-reply.ts'
import type { GoalEvidence, LoopContext } from '../types/loop-context.ts'

/** What a grader says about a change. */
export type Grade =
  | { readonly kind: 'met' }
  /** The grader found nothing missing, but it could not see all of the change. `why` says what. */
  | { readonly kind: 'not_seen'; readonly why: string }
  /** `why` is what is missing, or that the grader gave no verdict. */
  | { readonly kind: 'not_met'; readonly why: string }
  /** The model could not be asked. */
  | { readonly kind: 'failed'; readonly why: string }

const verdict = z.object({ met: z.boolean(), why: z.string().max(20_000) })
const verdictSchema: JsonObject = {
  type: 'object',
  properties: { met: { type: 'boolean' }, why: { type: 'string' } },
  required: ['met', 'why'],
  additionalProperties: false,
}
/** Two requests: one more after an answer that is no verdict. */
const mostRequests = 2
const mostTokens = 2_000

/** Lets a model judge a change by the person's criteria. It sees evidence alone, not what the agent said. */
export async function* gradeGoal(
  context: LoopContext,
  criteria: string,
  evidence: GoalEvidence,
  signal: AbortSignal,
): LoopSteps<Grade> {
  const model = context.models.summary()
  const messages: RequestMessage[] = [userMessage(gradeTask({ criteria, ...evidence, word: context.nextId() }))]
  for (let request = 1; request <= mostRequests; request += 1) {
    const spent = context.spentBudget()
    if (spent !== undefined) return { kind: 'failed', why: spent }
    const maxTokens = Math.min(context.limits.maxTokens, mostTokens)
    const asked = await askModel(
      context,
      {
        ...{ model, system: gradePrompt, tools: [], messages: [...messages], maxTokens },
        ...{ temperature: null, effort: null, outputSchema: verdictSchema },
        origin: { agent: context.agentPath, purpose: 'grade' },
      },
      signal,
    )
    if (!asked.ok) return { kind: 'failed', why: asked.error.message }
    const text = textOf(asked.reply.content)
    yield [{ type: 'usage', usage: asked.reply.usage, model, for: 'grade', said: text }]
    const read = readVerdict(text)
    if (read?.met === true) return seenWhole(evidence)
    if (read) return { kind: 'not_met', why: read.why }
    messages.push(
      { role: 'assistant', content: [{ type: 'text', text: text || '(nothing)' }] },
      userMessage(gradeAgain),
    )
  }
  return { kind: 'not_met', why: 'The grader gave no verdict, so the criteria count as not met.' }
}

const mostNamed = 5

/** Nobody judged what was left out, so only a person can say that the criteria are met there too. */
function seenWhole({ unseen }: GoalEvidence): Grade {
  if (unseen.length === 0) return { kind: 'met' }
  const more = unseen.length > mostNamed ? ` and ${unseen.length - mostNamed} more` : ''
  const names = `${unseen.slice(0, mostNamed).map(shownName).join(', ')}${more}`
  return { kind: 'not_seen', why: `The grader found nothing missing, but it could not see all of ${names}.` }
}

function userMessage(text: string): RequestMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** The verdict in an answer, which may stand in a block of code. Null for an answer without one. */
function readVerdict(text: string): z.infer<typeof verdict> | null {
  const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    return verdict.safeParse(JSON.parse(object)).data ?? null
  } catch {
    return null
  }
}
