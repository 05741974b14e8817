import { shownName } from '#shared/text/control-characters.ts'
import type { Evicted, MountView } from '../ports/branch-mounts.ts'
import { leftOutText } from './place-changes.ts'

/** What a program does not find in its view of the branch, a sentence for each reason. */
export function lacksOf({
  leftOut,
  missing,
  evicted,
  readOnlyFiles = 0,
  closedFolders = 0,
  problem = null,
}: Pick<
  MountView,
  'leftOut' | 'missing' | 'evicted' | 'readOnlyFiles' | 'closedFolders' | 'problem'
>): readonly string[] {
  const texts = [
    problem ?? '',
    leftOutText(leftOut),
    readOnlyFiles === 0
      ? ''
      : `${readOnlyFiles} files or folders of another user or group could only be read, because they are closed, special, too large for a copy, or have a name that is not UTF-8.`,
    closedFolders === 0
      ? ''
      : `${closedFolders} folders of another user or group are closed to others, so it could not list them and may have missed what is in them.`,
    missing === null ? '' : missingText[missing],
    evictedText(evicted),
  ]
  return texts.filter((text) => text !== '')
}

const mostNamed = 20

/** What two sides changed at one path, by its cause, with the place of what gave way. Empty for nothing. */
export function evictedText(evicted: readonly Evicted[]): string {
  return Object.entries(causeText)
    .flatMap(([why, text]) => {
      const all = evicted.filter((one) => one.why === why)
      const named = all.slice(0, mostNamed).map(({ path, keptAs }) => {
        const removed = why === 'pruned' ? '' : ' (it had been removed)'
        const place = keptAs === null ? removed : ` (now at ${shownName(keptAs)})`
        return `${shownName(path)}${place}`
      })
      const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more, which are beside them` : ''
      return all.length === 0 ? [] : [`${text} ${named.join(', ')}${more}.`]
    })
    .join(' ')
}

const causeText = {
  disk: 'The folder on disk changed where commands of your branch had left something else, so what is on disk is shown there, and the other version moved:',
  branch:
    'Your branch changed where commands had left something else, so its version is shown there, and the other one moved:',
  commands:
    'Other commands left something else at the same paths, so theirs is shown there, and the other version moved:',
  rules: 'No rule ignores these files of commands any more, so they are not in the project now, and moved:',
  pruned:
    'Your repository has removed commits that these of commands stand on, as "git gc" or "git prune" does, so git in views cannot read their whole history:',
} as const

/** A sentence about what the sandbox refused; empty for nothing. */
export function deniedText(denied: readonly string[]): string {
  if (denied.length === 0) return ''
  const hint = denied.every((one) => aboutFiles.test(one)) ? '' : ' The user can allow hosts on the card of a command.'
  return `The sandbox seems to have kept it from: ${denied.join('; ')}.${hint}`
}

/** Complaints that no granted host would end. */
const aboutFiles = /Permission denied|Read-only file system|Operation not permitted/

const missingText = {
  dropped:
    'Packages, build output and other ignored files that earlier commands left were dropped to free space, so it did not find all of them. Make them again if they are needed.',
  other_kind:
    'Packages, build output and other ignored files that earlier commands left cannot be shown, because this system now makes views of branches in another way, so it did not find all of them. Install or make them again if they are needed.',
  damaged:
    'Packages, build output and other ignored files that earlier commands left are missing or damaged on the disk, so it did not find all of them. Make them again if they are needed.',
} as const
