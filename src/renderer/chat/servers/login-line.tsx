import { type ReactNode, useState } from 'react'
import { ServerLogin } from '../../parts/server-login.tsx'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { loginStrings } from '../../strings/later/logins.ts'

/** Below a call that failed because its server needs a login: the login. */
export function LoginLine({ server: name }: { server: string }): ReactNode {
  const projectId = useProjectId()
  const [list, reload] = useQuery('mcp.list', { projectId })
  const [wasNeeded, setWasNeeded] = useState(false)
  const server = list.value?.servers.find((one) => one.name === name)
  if (!server) return null
  const isNeeded = server.state.kind === 'login'
  if (isNeeded && !wasNeeded) setWasNeeded(true)
  if (!isNeeded && !wasNeeded) return null
  return (
    <div className="my-1 ml-6 flex flex-col items-start gap-2 border-line border-l-2 pl-2">
      {isNeeded ? (
        <>
          <p>{loginStrings.needed(name)}</p>
          <ServerLogin projectId={projectId} server={server} onChanged={reload} />
        </>
      ) : (
        <p role="status" className="text-good">
          {loginStrings.done}
        </p>
      )}
    </div>
  )
}
