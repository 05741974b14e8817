import { type ReactElement, type ReactNode, StrictMode } from 'react'
import { onTestFinished } from 'vitest'
import { type RenderResult, render } from 'vitest-browser-react'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { QueryInput, QueryName, QueryOutput } from '../connection/query-cache.ts'
import { SessionProvider } from '../hooks/hooks.tsx'
import { foldEvents } from '../store/app-state.ts'
import { createSession, type Session } from './session.ts'

/** What a host would answer, by procedure. Every other call is refused. */
type Answers = {
  readonly [Name in QueryName]?: (input: QueryInput<Name>) => QueryOutput<Name> | Promise<QueryOutput<Name>>
}

interface TestWindow {
  readonly session: Session
  readonly screen: RenderResult
  /** Folds events as if the host had sent them. */
  readonly receive: (...events: readonly CoppiceEvent[]) => void
}

const projectInfo: ProjectInfo = {
  id: 'project' as ProjectId,
  path: '/project',
  name: 'project',
  kind: 'folder',
  git: false,
  trusted: true,
  wouldLoad: [],
  damage: null,
}

/** Renders a component in a window with an open project. Everything is real except the host. */
export async function renderInWindow(
  element: ReactElement,
  answers: Answers = {},
  events: readonly CoppiceEvent[] = [],
): Promise<TestWindow> {
  const session = createSession(async () => ({
    link: {
      call: async (path, input, { signal }) =>
        Promise.race([answerOf(answers, path.join('.'))(input), ...(signal ? [endOf(signal)] : [])]),
    },
    closed: new Promise(() => undefined),
    close: () => undefined,
  }))
  onTestFinished(() => session[Symbol.dispose]())
  const receive: TestWindow['receive'] = (...more) => session.store.setState((state) => foldEvents(state, more))
  session.store.setState({ projectInfo })
  receive(...events)
  const wrapper = ({ children }: { readonly children: ReactNode }): ReactNode => (
    <StrictMode>
      <SessionProvider session={session}>{children}</SessionProvider>
    </StrictMode>
  )
  return { session, receive, screen: await render(element, { wrapper }) }
}

/** Rejects when a call is given up, as it does over a port. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

function answerOf(answers: Answers, name: string): (input: unknown) => unknown {
  const answer = (answers as Readonly<Record<string, ((input: unknown) => unknown) | undefined>>)[name]
  if (!answer) throw new Error(`The host of this test does not answer ${name}.`)
  return answer
}
