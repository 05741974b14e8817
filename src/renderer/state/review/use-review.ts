import { useEffect, useMemo, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { LineRange } from '../../ui/line-range.ts'
import { toastNote } from '../../ui/undo-toast.ts'
import { type Command, useApp, useClient, useCommand, useProjectId } from '../hooks.tsx'
import { strings } from '../strings.ts'
import {
  type DraftComment,
  parseReview,
  type ReviewDraft,
  reviewKey,
  saveReview,
  withComment,
  withoutComment,
} from './line-comment.ts'
import { writeReview } from './review-message.ts'

const words = strings.review

/** Comments on one branch that wait to be sent to its agent. */
export interface Review {
  readonly draft: ReviewDraft
  /** Whose changes they are about. */
  readonly agent: string
  /** Whether they reach it while it works. */
  readonly running: boolean
  readonly command: Command
  /** Begins a comment, or gives the one that is being written other lines. */
  choose(path: VirtualPath, range: LineRange): void
  write(text: string): void
  mean(range: LineRange): void
  cancel(): void
  /** Takes what was written among the comments; `quote` is what the lines are. */
  add(quote: readonly string[]): void
  put(comment: DraftComment): void
  remove(comment: DraftComment): void
  send(): Promise<void>
}

export function useReview(branchId: BranchId): Review {
  const client = useClient()
  const projectId = useProjectId()
  const thread = useApp((state) => {
    const owner = state.journal.branches.get(branchId)?.threadId
    return owner === undefined ? undefined : state.journal.threads.get(owner)
  })
  const command = useCommand()
  const [draft, setDraft] = useReviewDraft(reviewKey(projectId, branchId))
  const { comments, form } = draft
  const agent = thread?.agent ?? ''

  async function send(): Promise<void> {
    if (!thread || comments.length === 0) return
    const text = writeReview(comments)
    const done = await command.run(() =>
      client.threads.send({ projectId, threadId: thread.id, text, delivery: 'steer' }),
    )
    if (!done) return
    setDraft({ ...draft, comments: [] })
    toastNote(words.sent(comments.length, agent))
  }

  return {
    draft,
    agent,
    running: thread !== undefined && ['working', 'needs_you', 'queued'].includes(thread.status),
    command,
    choose: (path, range) => {
      const text = form?.path === path ? form.text : ''
      setDraft({ ...draft, form: { path, at: range, range, text } })
    },
    write: (text) => form && setDraft({ ...draft, form: { ...form, text } }),
    mean: (range) => form && setDraft({ ...draft, form: { ...form, range } }),
    cancel: () => setDraft({ ...draft, form: null }),
    add: (quote) => {
      if (!form) return
      const { path, range, text } = form
      setDraft(withComment(draft, { id: crypto.randomUUID(), path, range, quote, text: text.trim() }))
      toastNote(words.added(comments.length + 1))
    },
    put: (comment) => setDraft({ ...withComment(draft, comment), form }),
    remove: ({ id }) => setDraft(withoutComment(draft, id)),
    send,
  }
}

/** As kept on this machine: other windows on the branch have the same. */
function useReviewDraft(key: string): readonly [ReviewDraft, (draft: ReviewDraft) => void] {
  const [saved, setSaved] = useState(() => localStorage.getItem(key))
  useEffect(() => {
    setSaved(localStorage.getItem(key))
    const hear = (event: StorageEvent): void => {
      if (event.key === key) setSaved(event.newValue)
    }
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  }, [key])
  const draft = useMemo(() => parseReview(saved), [saved])
  return [
    draft,
    (next) => {
      saveReview(localStorage, key, next)
      setSaved(next.comments.length === 0 && next.form === null ? null : JSON.stringify(next))
    },
  ]
}
