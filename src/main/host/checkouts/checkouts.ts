import { existsSync, readdirSync, rmSync } from 'node:fs'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import { findCheckouts } from '#core/checkouts/find-checkouts.ts'
import type { CheckoutChoice } from '#core/checkouts/take-back.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import type { CheckoutView, MadeCheckout } from '#shared/contract/views/checkouts.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { CheckoutRecord, TakenBack } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { isCutOff } from './checkout-place.ts'
import { forgetCheckout, lossesOf, removeCheckout } from './end-checkout.ts'
import { createFollowers, type Followers } from './followers.ts'
import { type CheckoutRequest, makeFolder } from './make-checkout.ts'
import { type CheckoutSources, headOf, placesOf } from './open-checkout.ts'

/** A checkout that a person named, and whose version they chose of files in conflict. */
export interface ChosenCheckout {
  readonly branchId: BranchId
  readonly checkoutId: string
  readonly choices: readonly CheckoutChoice[]
}

/** The checkouts of one project. Those for editors follow their branches while the project is open. */
export interface Checkouts extends AsyncDisposable {
  list(branchId: BranchId): readonly CheckoutView[]
  /** Throws `NOT_FOUND` for one that has ended. */
  find(named: Omit<ChosenCheckout, 'choices'>): CheckoutRecord
  /** Throws a refusal; then nothing was made. */
  make(request: CheckoutRequest, signal: AbortSignal): Promise<MadeCheckout>
  /** The folder for an editor of this branch, which follows the branch. */
  open(branchId: BranchId, signal: AbortSignal): Promise<MadeCheckout>
  /** Resolves when the folders for editors and their branches are equal, as far as nobody has to decide. */
  settle(): Promise<void>
  takeBack(chosen: ChosenCheckout): Promise<TakenBack>
  /** Throws `CONFLICT` when something would be lost with the folder, unless `loses`. */
  close(chosen: ChosenCheckout & { readonly loses: boolean }): Promise<TakenBack>
}

/** `closes`: folders for editors are closed with the project, if nothing is lost with them. */
export function createCheckouts(sources: CheckoutSources, closes: boolean): Checkouts {
  const { report } = sources
  const followers = createFollowers(sources)
  let last: Promise<unknown> = recover(sources, followers)
  const turn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const next = last.then(act)
    last = next.catch(() => undefined)
    return next
  }
  const find: Checkouts['find'] = ({ branchId, checkoutId }) => {
    const record = recordsOf(sources, branchId).find(({ id }) => id === checkoutId)
    if (!record) throw new WireError('NOT_FOUND', 'This checkout has ended. Make a new one.')
    return record
  }
  return {
    find,
    list(branchId) {
      if (!readBranch(sources.services.log, branchId))
        throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
      return recordsOf(sources, branchId).map((record) => ({
        ...record,
        isThere: existsSync(record.folder),
        conflicts: followers.get(record.id)?.following.conflicts() ?? [],
      }))
    },
    make: (request, signal) => turn(async () => (await makeFolder(sources, request, signal)).made),
    open: (branchId, signal) => turn(() => openForEditor(sources, followers, branchId, signal)),
    settle: () =>
      turn(async () => void (await Promise.all(followers.all().map(({ following }) => following.settle())))),
    takeBack: ({ choices, ...named }) =>
      turn(async () => {
        const record = find(named)
        // A folder that follows its branch takes what it can at any time.
        const isWhole = record.kind !== 'editor'
        const taken = await followers.open(record).checkout.takeBack({ choices, isWhole })
        await followers.get(record.id)?.following.settle()
        return taken
      }),
    close: ({ choices, loses, ...named }) => turn(() => close(sources, followers, find(named), { choices, loses })),
    async [Symbol.asyncDispose]() {
      await last
      for (const { record } of followers.all()) {
        const kept = closes ? close(sources, followers, record, { choices: [], loses: false }) : Promise.resolve()
        await kept.catch((error) => {
          // What somebody must decide first is found again at the next start.
          if (!(error instanceof WireError)) report(`The folder ${record.folder} could not be closed`, error)
        })
        await followers.stop(record.id)
      }
    },
  }
}

function recordsOf({ services: { log } }: CheckoutSources, branchId: BranchId): readonly CheckoutRecord[] {
  const branch = readBranch(log, branchId)
  return branch ? findCheckouts(log, branch.threadId) : []
}

async function openForEditor(
  sources: CheckoutSources,
  followers: Followers,
  branchId: BranchId,
  signal: AbortSignal,
): Promise<MadeCheckout> {
  headOf(sources, branchId)
  const known = recordsOf(sources, branchId).find((one) => one.kind === 'editor' && one.branchId === branchId)
  if (known && existsSync(known.folder)) {
    await followers.follow(known)
    return { ...known, checkoutId: known.id, leftOut: [] }
  }
  if (known) forgetCheckout(sources, known)
  const { made, tree } = await makeFolder(sources, { branchId, folder: null, gitBranch: null }, signal)
  const record = recordsOf(sources, branchId).find(({ id }) => id === made.checkoutId)
  if (record) await followers.follow(record, tree)
  return made
}

const nothing: TakenBack = { changed: [], joined: [], conflicts: [], refused: [] }

async function close(
  sources: CheckoutSources,
  followers: Followers,
  record: CheckoutRecord,
  { choices, loses }: { readonly choices: readonly CheckoutChoice[]; readonly loses: boolean },
): Promise<TakenBack> {
  if (!existsSync(record.folder)) {
    await followers.stop(record.id)
    forgetCheckout(sources, record)
    return nothing
  }
  const one = followers.open(record)
  const taken = await one.checkout.takeBack({ choices }).catch((error: unknown) => {
    // A branch that is gone takes nothing.
    if (loses && error instanceof WireError) return nothing
    throw error
  })
  const losses = loses ? [] : await lossesOf(record, one, taken)
  if (losses.length > 0)
    throw new WireError('CONFLICT', `The folder stays, because this would be lost with it: ${losses.join(' ')}`)
  await followers.stop(record.id)
  await removeCheckout(sources, record, one)
  return taken
}

/** Takes back what was saved in folders of editors while no project was open, and lets them follow again. Never rejects. */
async function recover(sources: CheckoutSources, followers: Followers): Promise<void> {
  for (const id of existsSync(sources.ownFolder) ? readdirSync(sources.ownFolder) : []) {
    const places = placesOf(sources, id)
    const branchId = textIfReadable(places.branch) as BranchId | undefined
    const record = branchId && recordsOf(sources, branchId).find((one) => one.id === id)
    if (!record && !isCutOff(places)) rmSync(places.own, { recursive: true, force: true })
    else if (!record) continue
    else if (record.kind === 'editor' && existsSync(record.folder))
      await followers
        .follow(record)
        .catch((error) => sources.report(`The folder ${record.folder} could not be opened again`, error))
  }
}
