import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong with a call's arguments, in words for whoever wrote them. */
export function argumentProblems(issues: readonly Issue[]): string {
  return issues.map(describe).join('; ')
}

function describe(issue: Issue): string {
  return [issue.path.map(String).join('.'), reasonOf(issue)].filter(Boolean).join(': ')
}

/** Where several forms are allowed, the one that was meant is that with something wrong inside it; else any may be. */
function reasonOf(issue: Issue): string {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue.message
  const meant = issue.errors.filter((form) => form.every(({ path }) => path.length > 0))
  return (meant.length > 0 ? meant : issue.errors).map((form) => form.map(describe).join(', ')).join(', or ')
}
