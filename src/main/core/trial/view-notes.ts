import { shownName } from '#shared/base/control-characters.ts'
import type { MountView } from '../ports/branch-mounts.ts'
import { leftOutText } from './place-changes.ts'

/** What a program does not find in its view of the branch, a sentence for each reason. */
export function lacksOf({
  leftOut,
  missing,
  evicted,
  problem = null,
}: Pick<MountView, 'leftOut' | 'missing' | 'evicted' | 'problem'>): readonly string[] {
  const texts = [
    problem ?? '',
    leftOutText(leftOut),
    missing === null ? '' : missingText[missing],
    evicted.length === 0
      ? ''
      : `Before it ran, kept files at ${evicted.map(shownName).join(', ')} were dropped, because the branch or the disk had changed there.`,
  ]
  return texts.filter((text) => text !== '')
}

/** A sentence about what the sandbox refused; empty for nothing. */
export function deniedText(denied: readonly string[]): string {
  if (denied.length === 0) return ''
  return `The sandbox seems to have kept it from: ${denied.join('; ')}. The user can allow hosts on the card of a command.`
}

const missingText = {
  dropped:
    'Packages, build output and other ignored files that earlier commands left were dropped to free space, so it did not find all of them. Make them again if they are needed.',
  other_kind:
    'Packages, build output and other ignored files that earlier commands left cannot be shown, because this system now makes views of branches in another way, so it did not find all of them. Install or make them again if they are needed.',
  damaged:
    'Packages, build output and other ignored files that earlier commands left are missing or damaged on the disk, so it did not find all of them. Make them again if they are needed.',
} as const
