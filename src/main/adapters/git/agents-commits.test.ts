import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import { createGitDelivery } from './git-delivery.ts'

/** What an agent does in git of its view. `$n` is another number each time. */
const acts = {
  commit: 'echo $n > f$((n % 3)); git add -A; git commit -qm "commit $n"',
  amend: 'echo $n >> f0; git add -A; git commit -q --amend -m "amended $n"',
  rebase: 'git rebase -q --force-rebase HEAD~1 2> /dev/null || git rebase --abort',
  squash: 'git reset -q --soft HEAD~1; git commit -q --allow-empty -m "squashed $n"',
  stash:
    'echo $n > stashed; git add -A; git stash -q; git commit -q --allow-empty -m "beside $n"; git stash pop -q; git add -A; git commit -qm "popped $n"',
  keep: 'echo $n > kept; git add -A; git stash -q',
  reset: 'git reset -q --hard HEAD~1',
  merge:
    'git checkout -q --detach HEAD~1; echo $n > m$n; git add -A; git commit -qm "side $n"; git checkout -q -; git merge -q --no-edit -m "merge $n" -',
  pick: 'git checkout -q --detach HEAD~1; echo $n > p$n; git add -A; git commit -qm "far $n"; git checkout -q -; git cherry-pick -x - > /dev/null',
  mode: 'chmod +x f0; ln -sf f$n link; git add -A; git commit -qm "mode $n"',
} as const
type Act = keyof typeof acts

// Mutation: with the branch at the commit before the last, its graph is another one.
it(
  'what agents committed, amended, rebased, stashed and reset is delivered with the objects and the graph of the view',
  async () => {
    const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-sequences-')))
    onTestFinished(() => rmSync(above, { recursive: true, force: true }))
    vi.stubEnv('HOME', above)
    onTestFinished(() => void vi.unstubAllEnvs())
    const sh = (script: string, place: 'folder' | 'view' | '.' = 'folder') =>
      execFileSync('bash', ['-ec', script], {
        cwd: join(above, place),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim()
    sh(
      'git config --global user.name n; git config --global user.email e@e; git init -q --template= -b main folder; cd folder; for n in 1 2 3 4 5 6 7 8; do seq $n 99 > f0; git add f0; git commit -qm $n; done; git clone -q --shared --template= . ../view',
      '.',
    )
    const everythingElse = () =>
      sh(
        `git for-each-ref | grep -v refs/heads/to || true; find . -not -path './.git/objects*' -not -path './.git/refs/heads*' -not -path './.git/logs/refs/heads*' -printf '%p %m %l\\n' | sort; git status --porcelain`,
      )
    const before = everythingElse()
    const objects = [join(above, 'view/.git/objects')]
    const delivery = createGitDelivery({
      ...{ rootFolder: join(above, 'folder'), temporaryFolder: join(above, 'tmp'), trusts: () => true },
    })
    let [branch, step] = [0, 0]
    const act = fc.constantFrom(...(Object.keys(acts) as Act[]))
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (sequence) => {
        branch += 1
        const lines = sequence.map((one) => {
          step += 1
          return `n=${step}; ${acts[one]}`
        })
        sh(`git checkout -q -B work origin/main; git reset -q --hard; n=0; ${acts.commit}\n${lines.join('\n')}`, 'view')
        const head = sh('git rev-parse HEAD', 'view')
        const fresh = sh('git rev-list --reverse --topo-order HEAD --not --glob=refs/remotes/*', 'view').split('\n')
        using opened = await delivery.open({ repository: '', branch: `to-${branch}`, base: 'main', began: null })
        const made = await opened.deliverMade(head, objects)
        expect(sh(`git rev-parse to-${branch}`)).toBe(head)
        const graph = 'git log --format="%H %P %T" HEAD | sort; git rev-list --objects HEAD | sort'
        expect(sh(graph.replaceAll('HEAD', `to-${branch}`))).toBe(sh(graph, 'view'))
        expect(fresh.at(-1) === '' ? [head] : fresh.filter((id) => made.includes(id))).toEqual(made)
        expect(sh('git fsck --strict 2>&1 | grep -Ev "^(dangling|notice)" || true')).toBe('')
        expect(everythingElse()).toBe(before)
      }),
      runs(10, 100),
    )
  },
  timeLimit(60_000),
)
