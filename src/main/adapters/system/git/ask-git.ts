import { dirname } from 'node:path'

/**
 * The environment for a question to the git of a repository's folder. Git's own variables would lead to another
 * repository, what is missing is not fetched, and nothing is written. The person's settings count.
 */
export function gitEnvironment(repository: string): NodeJS.ProcessEnv {
  const isKept = (name: string) => !name.startsWith('GIT_') || /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$/.test(name)
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name))),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CEILING_DIRECTORIES: dirname(repository),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}
