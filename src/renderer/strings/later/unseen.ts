import { formatNumber } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

/** Words about changes that nobody has looked at. */
export const unseenStrings = {
  title: 'What nobody has looked at',
  unseen: (lines: number, of: number, files: number) =>
    lines === 0
      ? `Nobody has looked at ${plural(files, 'file', 'files')}`
      : `Nobody has looked at ${formatNumber(lines)} of ${plural(of, 'changed line', 'changed lines')}, in ${plural(files, 'file', 'files')}`,
  hint: 'These files are not marked as viewed in Changes, or changed since.',
  show: 'Show which',
  hide: 'Hide them',
} as const
