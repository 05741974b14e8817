import { beginningOf } from '../text/whole-characters.ts'

/** A plan with more characters than this is refused, so that a person can read what they approve. */
export const mostPlanCharacters = 100_000
/** The steps of a longer plan after these become no todos. */
const mostSteps = 100
const mostStepCharacters = 300
const mostTitleCharacters = 120

/** The first heading of a plan, or else its first line; empty for a plan without text. */
export function planTitle(plan: string): string {
  const lines = plan.split('\n', 200).map((line) => line.trim())
  const title = lines.find((line) => /^#{1,6}\s+\S/.test(line)) ?? lines.find((line) => line !== '') ?? ''
  return beginningOf(title.replace(/^#{1,6}\s+/, ''), mostTitleCharacters).replace(/\s{1,20}#{1,6}$/, '')
}

const step = /^(?:\d{1,4}[.)]|[-*+] \[[ xX]\])\s+(\S.*)$/
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** The steps of a plan: its numbered items and its check boxes at the left margin, as text without their numbers. */
export function stepsIn(plan: string): readonly string[] {
  const steps: string[] = []
  let open = ''
  for (const line of plan.split('\n')) {
    const [, marks = '', after = ''] = fence.exec(line) ?? []
    if (open !== '') {
      if (marks.startsWith(open) && after.trim() === '') open = ''
    } else if (marks !== '') open = marks
    else {
      const text = step.exec(line.trimEnd())?.[1]
      if (text !== undefined) steps.push(beginningOf(text, mostStepCharacters))
      if (steps.length === mostSteps) break
    }
  }
  return steps
}
