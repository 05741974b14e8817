import type { PreparedPrompt } from './prepare.ts'
import type { PromptPart } from './stages.ts'

/** What a running thread is told of: memories it sees by itself, and guidance does not change under it. */
const toldParts: readonly PromptPart[] = ['instructions', 'skills']

/** What an agent must hear of what changed around it since it was last told; null when nothing did. */
export function promptChanges(before: PreparedPrompt, after: PreparedPrompt): string | null {
  const texts = toldParts.flatMap((part) => {
    const [old, fresh] = [textOf(before, part), textOf(after, part)]
    if (old === fresh) return []
    return [
      fresh === '' ? `The ${part} you were given no longer hold.` : `The ${part} changed. They now are:\n\n${fresh}`,
    ]
  })
  const gone = namesIn(before).filter((name) => !namesIn(after).includes(name))
  if (gone.length > 0) texts.push(`These tools can no longer be called: ${gone.join(', ')}.`)
  const fresh = namesIn(after).filter((name) => !namesIn(before).includes(name))
  if (fresh.length > 0) texts.push(`New tools exist for threads that start from now on: ${fresh.join(', ')}.`)
  return texts.length === 0 ? null : texts.join('\n\n')
}

function textOf({ sections }: PreparedPrompt, part: PromptPart): string {
  return sections.flatMap((section) => (section.part === part ? [section.text] : [])).join('\n\n')
}

function namesIn({ tools }: PreparedPrompt): readonly string[] {
  return tools.map(({ name }) => name)
}
