import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { countOwnCommits, removeWorktree } from '#adapters/git/worktree.ts'
import { endCheckout } from '#core/commands/checkouts.ts'
import type { CheckoutRecord, TakenBack } from '#shared/model/branch.ts'
import { plural } from '#shared/text/plural.ts'
import { type CheckoutSources, type OpenCheckout, placesOf } from './open-checkout.ts'

/** What would be lost with the folder, as sentences. `taken` is what came of a last look at it. */
export async function lossesOf(
  { kind, folder, commit }: CheckoutRecord,
  { folder: files }: OpenCheckout,
  taken: TakenBack,
): Promise<readonly string[]> {
  const [stranger, ...others] = kind === 'editor' ? [] : files.strangers(100)
  const commits = commit === null ? 0 : await countOwnCommits(folder, kind === 'worktree' ? 'worktree' : commit)
  return [
    ...taken.conflicts.map((path) => `${path} was changed in the folder and in the branch, and nobody decided yet.`),
    ...taken.refused.map(({ path, why }) => `${path} could not be taken back. ${why}`),
    ...(stranger === undefined || kind === 'copy'
      ? []
      : [
          `${stranger}${others.length > 0 ? ` and ${plural(others.length, 'other file is', 'other files are')}` : ' is'} in no branch, because git ignores what is there.`,
        ]),
    ...(commits > 0 ? [`${plural(commits, 'commit is', 'commits are')} on no branch that stays.`] : []),
  ]
}

/** Ends the checkout and removes its folder. Of a copy, files that were never part of the branch stay. */
export async function removeCheckout(
  sources: CheckoutSources,
  record: CheckoutRecord,
  { folder: files }: OpenCheckout,
): Promise<void> {
  const { kind, folder } = record
  if (kind === 'worktree') await removeWorktree(sources.gitDelivery.find('').top, folder)
  if (kind === 'copy') {
    for (const path of [...files.paths()]) rmSync(`${folder}${path}`, { force: true })
    removeEmpty(folder)
  }
  forgetCheckout(sources, record)
}

/** The folder is gone already, or stays the person's own. */
export function forgetCheckout(sources: CheckoutSources, record: CheckoutRecord): void {
  sources.run(endCheckout(sources.services, record))
  rmSync(placesOf(sources, record.id).own, { recursive: true, force: true })
}

function removeEmpty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(`${folder}/${entry.name}`)
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
