import type { MadeCommit } from '../model/calls/outcome.ts'
import { shownName } from '../text/control-characters.ts'
import { plural } from '../text/plural.ts'

const mostNamed = 10

/** `2 commits and 1 stash in git alone: 1a2b3c4 “Fix it” on topic, …`. For at least one. */
export function commitsText(commits: readonly MadeCommit[]): string {
  const stashes = commits.filter(({ kind }) => kind === 'stash').length
  const counts = [
    ...(commits.length > stashes ? [plural(commits.length - stashes, 'commit', 'commits')] : []),
    ...(stashes > 0 ? [plural(stashes, 'stash', 'stashes')] : []),
  ]
  const more = commits.length - mostNamed
  const named = commits.slice(0, mostNamed).map(nameOf).join(', ')
  return `${counts.join(' and ')} in git alone: ${named}${more > 0 ? ` and ${more} more` : ''}`
}

function nameOf({ repository, branch, id, subject }: MadeCommit): string {
  const where = repository === '/' ? '' : ` in ${shownName(repository)}`
  return `${id.slice(0, 7)} “${shownName(subject)}” on ${shownName(branch)}${where}`
}
