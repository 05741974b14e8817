import { useEffect, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type Command, useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { isRunning } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { toastNote, toastProblem } from '../../ui/controls/toast.ts'
import type { LineRange } from '../../ui/diff/line-range.ts'
import {
  type CommentForm,
  readUnsent,
  reviewKey,
  saveUnsent,
  type UnsentReview,
  type WaitingComment,
  withComment,
  withoutComment,
} from './line-comment.ts'
import { writeReview } from './review-message.ts'

const labels = strings.review

/** Unsent comments on lines, and what a person can do with them. */
export interface LineComments {
  readonly unsent: UnsentReview
  /** Begins a comment, or moves the one being written to other lines. */
  choose(path: VirtualPath, range: LineRange): void
  write(text: string): void
  mean(range: LineRange): void
  cancel(): void
  /** Adds the written comment. `quote` holds its lines as they are now. */
  add(quote: readonly string[]): void
  put(comment: WaitingComment): void
  remove(comment: WaitingComment): void
}

/** The unsent comments on one branch, and the agent that gets them. */
export interface Review extends LineComments {
  readonly branchId: BranchId
  /** The name of the agent that made the changes. */
  readonly agent: string
  /** True while the agent works. Then comments reach it before its next step. */
  readonly running: boolean
  readonly command: Command
  send(): Promise<void>
}

/** The unsent comments on a branch. Its agent gets them as one message. */
export function useReview(branchId: BranchId): Review {
  const client = useClient()
  const projectId = useProjectId()
  const thread = useApp((state) => {
    const owner = state.project.branches.get(branchId)?.threadId
    return owner === undefined ? undefined : state.project.threads.get(owner)
  })
  const command = useCommand()
  const { forget, ...lines } = useLineComments(reviewKey(projectId, branchId))
  const { comments } = lines.unsent
  const agent = thread?.agent ?? ''

  async function send(): Promise<void> {
    if (!thread || comments.length === 0) return
    const text = writeReview(comments)
    const done = await command.run(() =>
      client.threads.send({ projectId, threadId: thread.id, text, delivery: 'steer' }),
    )
    if (!done) return
    forget(comments)
    toastNote(labels.sent(comments.length, agent))
  }

  return { ...lines, branchId, agent, running: thread !== undefined && isRunning(thread), command, send }
}

/** The unsent comments that are saved under a key. `forget` removes those that were sent. */
export function useLineComments(
  key: string,
): LineComments & { readonly forget: (sent: readonly WaitingComment[]) => void } {
  const [unsent, change] = useUnsentReview(key)
  const { comments, form } = unsent
  const changeForm = (update: Partial<CommentForm>): void =>
    change((now) => ({ ...now, form: now.form && { ...now.form, ...update } }))
  return {
    unsent,
    forget: (sent) => change((now) => sent.reduce((left, { id }) => withoutComment(left, id), now)),
    choose: (path, range) =>
      change((now) => {
        const text = now.form?.path === path ? now.form.text : ''
        return { ...now, form: { path, at: range, range, text } }
      }),
    write: (text) => changeForm({ text }),
    mean: (range) => changeForm({ range }),
    cancel: () => change((now) => ({ ...now, form: null })),
    add: (quote) => {
      if (!form) return
      const { path, range, text } = form
      const added = { id: crypto.randomUUID(), path, range, quote, text: text.trim() }
      change((now) => ({ ...withComment(now, added), form: null }))
      toastNote(labels.added(comments.length + 1))
    },
    put: (comment) => change((now) => withComment(now, comment)),
    remove: ({ id }) => change((now) => withoutComment(now, id)),
  }
}

/**
 * The saved comments, shared by all windows on the branch. A change applies to the comments as they are saved now,
 * not as they were when its button appeared, because an undo comes seconds later.
 */
function useUnsentReview(key: string) {
  const [kept, setKept] = useState(() => readUnsent(localStorage, key))
  const { unsent, setAside } = kept
  useEffect(() => {
    const read = (): void => setKept(readUnsent(localStorage, key))
    const hear = (event: StorageEvent): void => {
      if (event.key === key) read()
    }
    read()
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  }, [key])
  useEffect(() => {
    if (setAside) toastProblem(labels.setAside, labels.setAsideDetail(setAside.reason, setAside.keptAs))
  }, [setAside])
  function change(update: (now: UnsentReview) => UnsentReview): void {
    saveUnsent(localStorage, key, update(readUnsent(localStorage, key).unsent))
    dispatchEvent(new StorageEvent('storage', { key, newValue: localStorage.getItem(key) }))
  }
  return [unsent, change] as const
}
