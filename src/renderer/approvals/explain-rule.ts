import { cardStrings } from '../strings/later/card.ts'

const labels = cardStrings.allowEffects

/**
 * Says in one sentence what a rule about effects keeps. Null for another rule, or one that is not understood; the preview
 * says what is wrong with it.
 */
export function explainRule(rule: string): string | null {
  const parts = /^effects\((.*)\)$/is
    .exec(rule.trim())?.[1]
    ?.split(/,(?![^{]*\})/)
    .map((part) => part.trim())
    .filter(Boolean)
  if (parts === undefined) return null
  const patterns = parts.filter((part) => /[*./?[{]/.test(part) && !/\s/.test(part))
  const most = parts.flatMap((part) => /(\d+)\s+files?$/i.exec(part)?.[1] ?? []).at(-1)
  if (parts.some((part) => /^no changes?$/i.test(part))) return labels.noChanges
  const deletes = !parts.some((part) => /^no deletions?$/i.test(part))
  return labels.meaning(patterns, most === undefined ? null : Number(most), deletes)
}
