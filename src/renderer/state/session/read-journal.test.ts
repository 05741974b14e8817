import { describe, expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { outlineOf } from '#shared/model/derived/outline.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import { type AppState, foldEvents, initialState } from '../store/app-state.ts'
import { agentReply, created, event, messageId, threadId, userMessage } from '../store/entries.testkit.ts'
import { readJournal } from './read-journal.ts'

const story: readonly CoppiceEvent[] = [
  event(1, created),
  event(2, userMessage('m0', 'Hello')),
  ...Array.from({ length: 500 }, (_, number) => event(number + 3, agentReply(`m${number + 1}`, `Reply ${number}`))),
]
const whole = foldEvents(initialState, story)
const later = event(502, { type: 'message.delta', messageId: messageId('next'), part: 'text', text: 'And' })

describe('reading a long journal', () => {
  it('shows the outline and the progress, then the folded journal', () => {
    const store = createStore<AppState>(() => initialState)
    const take = readJournal(store, outlineOf(whole.project, null))
    expect(endOf(store.getState())).toEqual(endOf(whole))
    const shares = [0, 100, 200, 300, 400].map((from) => {
      expect(take(story.slice(from, from + 100))).toEqual([])
      return store.getState().reading?.entries
    })
    expect(shares).toEqual([100, 200, 300, 400, 500])
    expect(store.getState().project.threads.get(threadId)?.messages).toHaveLength(40)
    expect(take(story.slice(500))).toEqual([])
    expect(store.getState()).toEqual(whole)
  })

  it('passes on later events', () => {
    const store = createStore<AppState>(() => initialState)
    const take = readJournal(store, outlineOf(whole.project, null))
    take(story)
    expect(take([later])).toEqual([later])
  })

  it('includes events that arrived while it was read', () => {
    const store = createStore<AppState>(() => initialState)
    const take = readJournal(store, outlineOf(whole.project, null))
    expect(take([...story, later])).toEqual([])
    expect(store.getState()).toEqual(foldEvents(whole, [later]))
  })

  it('goes on after a broken stream is opened again', () => {
    const store = createStore<AppState>(() => initialState)
    const take = readJournal(store, outlineOf(whole.project, null))
    take(story.slice(0, 300))
    take(story.slice(250))
    expect(store.getState()).toEqual(whole)
  })

  it('reports progress at most once per percent', () => {
    const store = createStore<AppState>(() => initialState)
    const take = readJournal(store, outlineOf(whole.project, null))
    let updates = 0
    store.subscribe(() => updates++)
    for (const one of story) take([one])
    expect(updates).toBeLessThanOrEqual(101)
  })
})

function endOf({ project }: AppState) {
  return project.threads.get(threadId)?.messages.slice(-40)
}
