import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { plural } from '#shared/text/plural.ts'
import { buttonsOf, noRule } from '#shared/tools/card-words.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { type CardKey, promptLine } from './card-keys.ts'
import { type Dialogue, pressArmed, say } from './dialogue.ts'

function confirmKeys(request: ActionRequest): readonly CardKey[] {
  return [
    { key: 'y', word: `allow and ${buttonsOf(request, false).approve.toLowerCase()}`, about: '' },
    { key: 'n', word: 'go back', about: '' },
  ]
}

/** Shows the rules that would allow a call, and writes those that the person confirms. False when they went back. */
export async function chooseRule(dialogue: Dialogue, threadId: ThreadId, request: ActionRequest): Promise<boolean> {
  const { client, projectId } = dialogue
  const { proposals, note } = await client.approvals.proposeRules({ projectId, threadId, callId: request.callId })
  if (proposals.length === 0) {
    say(dialogue, [lineOf(`${noRule}. Decide it here each time it comes up.`, 'warn')])
    return false
  }
  const rules = await chooseProposal(dialogue, proposals)
  if (rules === null) return false
  const seen = await client.approvals.previewRules({ projectId, rules: [...rules] })
  const { scripts = [] } = request
  say(dialogue, [
    lineOf('This rule goes to your settings and holds in every project:', 'strong'),
    ...rules.map((rule) => lineOf(`  ${rule}`, 'accent')),
    ...(note === null ? [] : [lineOf(`  ${note}`, 'warn')]),
    ...(scripts.length === 0
      ? []
      : [lineOf(`  It also allows whatever agents write later into ${scripts.join(', ')}.`, 'warn')]),
    lineOf(`  It would have matched ${seen.matched} of ${plural(seen.of, 'call', 'calls')} so far.`, 'dim'),
  ])
  for (;;) {
    const key = await pressArmed(dialogue, promptLine(confirmKeys(request)))
    if (key === 'n' || key === '\u001b') return false
    if (key !== 'y') continue
    await client.settings.changeRules({ effect: 'allow', add: [...rules] })
    say(dialogue, [lineOf(`Written: ${rules.join(', ')}`, 'good')])
    return true
  }
}

/** The rules that the person chooses; null when they go back. A single proposal needs no choice. */
async function chooseProposal(
  dialogue: Dialogue,
  proposals: readonly (readonly string[])[],
): Promise<readonly string[] | null> {
  const shown = proposals.slice(0, 9)
  if (shown.length === 1) return shown[0] ?? null
  say(dialogue, [
    lineOf('What to allow:', 'strong'),
    ...shown.map(
      (rules, index): Line => [
        { text: `  ${index + 1} `, tone: 'accent' },
        { text: rules.join(', ') },
        { text: index === 0 ? '  exactly this call' : '  calls like this one', tone: 'dim' },
      ],
    ),
  ])
  const keys = [
    { key: `1–${shown.length}`, word: 'choose', about: '' },
    { key: 'n', word: 'go back', about: '' },
  ]
  for (;;) {
    const key = await pressArmed(dialogue, promptLine(keys))
    const chosen = shown[Number(key) - 1]
    if (chosen) return chosen
    if (key === 'n' || key === '\u001b') return null
  }
}
