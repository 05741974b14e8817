import type { Kind } from './find-doors.ts'
import { ofProcedures } from './procedures-by-guards.ts'
import { promised } from './promises.ts'

/**
 * What guards each door. `doors` are names, or paths below `src` with everything below a folder. `test` is a file below `src`
 * and a part of a title in it, which ends before anything that the title is filled with. `mutation` is a file below `src`, a
 * text that stands in it once, and the text that takes the guard away: `node scripts/doors/mutate.ts` puts it there and
 * expects the test to fail.
 */
export interface Row {
  readonly kind: Kind
  readonly doors: readonly string[]
  readonly guard: string
  readonly test: readonly [file: string, title: string]
  readonly mutation: readonly [file: string, text: string, without: string]
}

const row = (
  kind: Kind,
  guard: string,
  doors: readonly string[],
  test: Row['test'],
  mutation: Row['mutation'],
): Row => ({ kind, doors, guard, test, mutation })

const bounded = 'main/adapters/system/read-bounded.ts'
const madeFolders = 'main/adapters/system/made-folders.ts'

export const rows: readonly Row[] = [
  row(
    'readers',
    'at most so many bytes of a regular file, never waiting',
    [
      ...['main/adapters/git/convert-files.ts', 'main/adapters/git/personal-settings.ts', 'main/adapters/registries'],
      ...[
        'main/adapters/git/git-delivery.ts',
        'main/adapters/git/make-commits.ts',
        'main/adapters/git/scratch-repository.ts',
      ],
      ...['main/adapters/settings', 'main/adapters/shell/registries/read-registries.ts', 'main/host/extensions'],
      'main/adapters/shell/registries/certificates.ts',
      ...['main/host/inputs/read-given.ts', 'main/adapters/system', 'main/host/project/git-head.ts'],
      ...['main/host/project/project-place.ts', 'main/host/project/open-folders.ts', 'main/host/doctor'],
      'main/host/hooks',
    ],
    ['main/adapters/system/read-bounded.test.ts', 'refuses what has no end, and waits for nothing'],
    [bounded, '!stats.isFile() && waitMs === undefined', 'false'],
  ),
  row(
    'readers',
    'what programs wrote in a view is looked at first, and no link is followed',
    ['main/adapters/mounts', 'main/host/memory/memory-folder.ts'],
    ['main/adapters/mounts/written-files.test.ts', 'never follows a link that takes the place of a folder'],
    [
      'main/adapters/mounts/written-files.ts',
      '(constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)',
      '(constants.O_DIRECTORY ?? 0)',
    ],
  ),
  row(
    'readers',
    'what a person’s programs write in a checkout: no link is followed, and nothing is read while it is written',
    ['main/adapters/checkouts', 'main/host/checkouts'],
    ['main/adapters/checkouts/checkout-folder.test.ts', 'follows no link out of the folder'],
    ['main/adapters/checkouts/read-leaf.ts', 'if (stats.isSymbolicLink())', 'if (stats.isSocket())'],
  ),
  row(
    'readers',
    'only files that the app, its installation or the system made',
    [
      ...['main/adapters/demo', 'main/adapters/disk', 'main/adapters/git/patch-check.ts', 'main/adapters/runner'],
      ...['main/adapters/search/index', 'main/adapters/secrets', 'main/adapters/shell/limits', 'main/adapters/sqlite'],
      ...['main/adapters/shell/processes', 'main/adapters/shell/registries/token-proxy.ts', 'main/adapters/watch'],
      ...['main/adapters/shell/run-command.ts', 'main/cli', 'main/desktop', 'main/host/project/registry.ts'],
      ...['main/host/app/renderer-files.ts', 'main/host/mcp', 'main/host/models', 'main/host/updates'],
    ],
    ['main/adapters/system/made-folders.test.ts', 'is private, has a name that nobody can guess, and says who made it'],
    [madeFolders, 'mkdtempSync(', "((place: string) => (mkdirSync(place + 'abcdef'), place + 'abcdef'))("],
  ),
  row(
    'readers',
    'what other tools have, within the home and bounded',
    ['main/host/imports'],
    ['main/host/imports/hostile-imports.test.ts', 'are named, and the rest works'],
    ['main/host/imports/place.ts', 'if (isInside(real, rootOf(path))) return real', 'if (real) return real'],
  ),
  row(
    'writers',
    'an import writes below the app’s data alone, and through no link that leads out of it',
    ['main/host/imports'],
    [
      'main/host/imports/take-imports.test.ts',
      'writes nothing where a link of the person leads to another tool or no text is',
    ],
    ['main/host/imports/present.ts', 'return !isInside(realPathOf(file)', 'return !isInside(file'],
  ),
  row(
    'writers',
    'a handle on the checked folder; only Apply writes to the person’s folder',
    ['main/adapters/disk', 'main/adapters/git'],
    ['main/adapters/disk/bad-paths.test.ts', 'bad input: links'],
    [
      'main/adapters/disk/disk-root.ts',
      'kernelTellsPaths ? pathOfHandle(descriptor) === location',
      'kernelTellsPaths ? true',
    ],
  ),
  row(
    'writers',
    'a checkout that a person asked for: what they saved there is never replaced, and no link is followed',
    ['main/adapters/checkouts'],
    ['main/adapters/checkouts/checkout-folder.test.ts', 'never replaces what a person saved'],
    ['main/adapters/checkouts/put-file.ts', 'if (was && !moveAway(path, was)) return false', 'if (was) rmSync(place)'],
  ),
  row(
    'writers',
    'a missing or empty folder outside the project, and removed only when nothing is lost',
    ['main/host/checkouts'],
    ['main/host/checkouts/bad-checkouts.test.ts', 'refuses a folder that is'],
    ['main/host/checkouts/checkout-place.ts', 'if (there && readdirSync(folder).length > 0)', 'if (!there)'],
  ),
  row(
    'writers',
    'folders with a mark that fits no other folder; never through a link',
    [
      ...['main/adapters/mounts', 'main/adapters/programs', 'main/adapters/search', 'main/adapters/shell'],
      ...['main/adapters/sqlite', 'main/adapters/system', 'main/host/project', 'main/host/events'],
      ...['main/host/doctor', 'main/host/handover', 'main/host/updates', 'main/host/mcp', 'main/web/open-page.ts'],
      ...['main/host/storage/data-folder.ts', 'main/host/storage/storage.ts', 'main/desktop', 'main/cli'],
    ],
    [
      'main/adapters/system/made-folders.test.ts',
      'is never emptied: outside, through a link inside, after a swap, or by its own name',
    ],
    [madeFolders, "if (!isSame(folder)) throw new NotOurFolderError(folder, 'was not made by Coppice')", ''],
  ),
  row(
    'writers',
    'where a person says: no link is followed, the file is replaced as a whole',
    [
      ...['main/host/storage/write-result.ts', 'main/host/records', 'main/host/extensions/write-skill.ts'],
      ...['main/host/memory/memory-folder.ts', 'main/host/command-line'],
    ],
    ['main/host/storage/write-result.test.ts', 'is not written through'],
    ['main/host/storage/write-result.ts', '?.isSymbolicLink() ?? false', '?.isSocket() ?? false'],
  ),
  row(
    'writers',
    'private files of the person, replaced as a whole',
    ['main/adapters/settings', 'main/adapters/secrets'],
    ['main/adapters/secrets/file-secrets.test.ts', 'keeps a key in a file that only its owner can read'],
    ['main/adapters/secrets/file-secrets.ts', '0o600', '0o644'],
  ),
  row(
    'programs',
    'the sandbox, limits of memory, time, processes and disk, and the end with the app',
    ['main/adapters/shell', 'main/adapters/system/command-user.ts'],
    ['main/host/testing/command-limits.test.ts', 'is ended when its programs take too much memory together'],
    [
      'main/adapters/shell/limits/watch-limits.ts',
      'if (residentBytes + Math.max(held, memory.inFiles) > most) {',
      'if (residentBytes < 0) {',
    ],
  ),
  row(
    'programs',
    'memory of no process counts, on whatever descriptor',
    ['main/adapters/shell'],
    ['main/host/testing/command-limits.test.ts', 'is ended when it holds too much memory that belongs to no process'],
    ['main/adapters/shell/limits/process-tree.ts', 'of names ?? []', 'of (names ?? []).slice(0, 4_096)'],
  ),
  row(
    'programs',
    'memory counts in whatever thread it is held',
    ['main/adapters/shell'],
    ['main/host/testing/command-limits.test.ts', 'is ended when it holds memory %s'],
    ['main/adapters/shell/limits/process-tree.ts', 'pids.flatMap(threadsOf)', 'pids'],
  ),
  row(
    'programs',
    'memory counts that was shared and then given up',
    ['main/adapters/shell'],
    ['main/host/testing/command-limits.test.ts', 'is ended when it holds memory that it shared'],
    ['main/adapters/shell/limits/process-tree.ts', 'isWhole ? await mappedMemory(pids, files)', 'isWhole ? 0'],
  ),
  row(
    'programs',
    'what the kernel needs to know the pages counts',
    ['main/adapters/shell'],
    ['main/host/testing/command-limits.test.ts', 'is ended when the kernel needs too much memory'],
    ['main/adapters/shell/limits/process-tree.ts', '/^VmPTE:', '/^NoPTE:'],
  ),
  row(
    'programs',
    'a helper that reads for the app: 512 MB (Linux, macOS), a time limit, the end with the app',
    [
      'main/adapters/search',
      'main/adapters/git',
      'main/adapters/mounts',
      'main/adapters/system/git/tracked-files.ts',
      'main/adapters/system/mounts-below.ts',
    ],
    ['main/adapters/search/ripgrep-process.test.ts', 'ends at its time limit with what it found'],
    ['main/adapters/search/ripgrep-process.ts', 'isLate = true\n      stop()', 'isLate = true'],
  ),
  row(
    'programs',
    'a program that keeps the computer awake runs while agents work, and ends with the app',
    ['main/adapters/system/keep-awake.ts'],
    ['main/host/app/stay-awake.test.ts', 'keeps the computer awake exactly while agents work and the person wants it'],
    ['main/host/app/stay-awake.ts', 'if (isOn() && working() > 0)', 'if (isOn())'],
  ),
  row(
    'programs',
    'a page in a thread that ends at its limits of time and memory',
    ['main/adapters/web'],
    ['main/adapters/web/convert-page.test.ts', 'ends at its time limit, and with the run'],
    [
      'main/adapters/web/convert-page.ts',
      'setTimeout(() => resolve(null), bound)',
      'setTimeout(() => undefined, bound)',
    ],
  ),
  row(
    'programs',
    'code of agents in a child without rights, with bounds that its parent keeps',
    ['main/adapters/runner', 'main/adapters/text', 'main/adapters/pdf'],
    ['main/adapters/runner/bombs.test.ts', 'survives $language: $name'],
    [
      'main/adapters/runner/run-child.ts',
      "setTimeout(() => fail('time'), limits.timeoutMs)",
      'setTimeout(() => undefined, limits.timeoutMs)',
    ],
  ),
  row(
    'programs',
    'what the person named in their own settings, never a program of the project',
    [
      ...['main/adapters/programs', 'main/cli', 'main/desktop', 'main/host/command-line', 'main/web/open-page.ts'],
      ...['main/host/models/profile-secret.ts', 'main/host/doctor/doctor.ts', 'main/adapters/watch'],
    ],
    [
      'main/adapters/programs/open-editor.test.ts',
      'never starts a program of the project, where agents may have written it',
    ],
    ['main/adapters/system/system-programs.ts', ' && !isInside(outside, place)', ''],
  ),
  row(
    'listeners',
    'exact host and origin, and a token before anything is attached',
    ['main/web'],
    ['main/web/security.test.ts', 'the door for %s'],
    [
      'main/web/security.ts',
      'headers.host === undefined || !door.hosts.has(headers.host)',
      'headers.host === undefined',
    ],
  ),
  row(
    'listeners',
    'a name that nobody can guess, this machine alone, no cookies and no logins',
    ['main/adapters/shell/processes/preview-server.ts'],
    [
      'main/adapters/shell/processes/preview-server.test.ts',
      'gives the page no cookie and no login that a browser has',
    ],
    ['main/adapters/shell/processes/preview-server.ts', 'known.test(name) && ', ''],
  ),
  row(
    'listeners',
    'a preview gets no answer whose parts have headers of their own',
    ['main/adapters/shell/processes/preview-server.ts'],
    ['main/adapters/shell/processes/preview-server.test.ts', 'passes on no answer whose parts'],
    ['main/adapters/shell/processes/preview-server.ts', '/multipart/i', '/multipart$/i'],
  ),
  row(
    'listeners',
    'a preview does not learn where a person came from',
    ['main/adapters/shell/processes/preview-server.ts'],
    ['main/adapters/shell/processes/preview-server.test.ts', 'tells its page not where'],
    ['main/adapters/shell/processes/preview-server.ts', '?.host === host.toLowerCase() ? value', ' ? value'],
  ),
  row(
    'listeners',
    'the streams of whoever started it; no tool approves a call, writes to the folder or leaves its project',
    ['main/cli/mcp/mcp.ts'],
    ['main/cli/mcp/tools.test.ts', 'no tool goes on in a thread of another project'],
    [
      'main/cli/mcp/tools.ts',
      'if (!thread || thread.parent !== null || thread.deletedAt !== null)',
      'if (thread === null)',
    ],
  ),
  row(
    'listeners',
    'a login is answered by the browser that began it alone',
    ['main/adapters/mcp/login/redirect-listener.ts'],
    ['main/adapters/mcp/login/logins.test.ts', 'does not hear of a browser without its state, and goes on'],
    [
      'main/adapters/mcp/login/redirect-listener.ts',
      "if (url.searchParams.get('state') !== state)",
      'if (state === null)',
    ],
  ),
  row(
    'listeners',
    'a socket that one command has, or one user',
    ['main/adapters/shell', 'main/host/handover'],
    ['main/host/handover/door.test.ts', 'opens its socket to nobody else'],
    ['main/host/handover/door.ts', 'chmodSync(place, 0o600)', 'chmodSync(place, 0o666)'],
  ),
  row(
    'prompts',
    'texts of others in blocks that end at a word nobody could know',
    [
      ...[
        'main/core/prompts/block.ts',
        'main/core/prompts/grade.ts',
        'main/core/prompts/grade-attempts.ts',
        'main/core/prompts/summary.ts',
      ],
      ...[
        'main/core/agent/context/compaction.ts',
        'main/core/agent/loop/grade-goal.ts',
        'main/core/prompts/guidance.ts',
      ],
      ...['main/core/prompts/commit-messages.ts', 'main/core/agent/runtime/ask-beside.ts'],
    ],
    ['main/core/prompts/block.test.ts', 'the tags of texts of others hold a word'],
    ['main/core/prompts/block.ts', "word === null ? ''", "word !== 'none' ? ''"],
  ),
  row(
    'prompts',
    'names as JSON on one line',
    ['main/core/prompts/appendices.ts', 'main/core/agent/model/request-reply.ts'],
    ['main/core/prompts/appendices.test.ts', 'have the same lines whatever the names are'],
    ['main/core/prompts/appendices.ts', 'printableJson(data)', 'Object.values(data).join()'],
  ),
  row(
    'cards',
    'names are escaped, at most twenty, what runs first',
    ['environment', 'commits', 'missed', 'hosts'],
    ['shared/tools/card.test.ts', 'names what a command left for later ones, at most twenty, and escapes the names'],
    ['shared/tools/card-words.ts', 'shownName(path)', 'path'],
  ),
  row(
    'cards',
    'what a person must know first is said by the app, not by the call',
    ['again', 'before', 'secret', 'tasks'],
    ['shared/tools/card.test.ts', 'notes what a call built on and what it touched beside its files'],
    ['shared/tools/card-words.ts', 'again === undefined ? []', 'again !== null ? []'],
  ),
  row(
    'logins',
    'for reading requests of exactly one protocol, host, port and path, however a server may decode it',
    ['main/adapters/shell'],
    ['main/adapters/shell/registries/registry-token.test.ts', 'nothing that leads above its place in any encoding'],
    ['main/adapters/shell/registries/registry-token.ts', 'return decodeURIComponent(text)', 'return text'],
  ),
  row(
    'logins',
    'only beside headers that readers of packages send',
    ['main/adapters/shell'],
    ['main/adapters/shell/registries/registry-token.test.ts', 'is only for headers that readers of packages send'],
    [
      'main/adapters/shell/registries/registry-token.ts',
      '!request.headerNames.every((name) => known.test(name))',
      'false',
    ],
  ),
  row(
    'logins',
    'a key in headers for the server of its profile alone',
    ['main/adapters/anthropic', 'main/adapters/openai', 'main/host/models'],
    ['main/host/models/dialects.test.ts', 'takes the secret out of a refusal that repeats it'],
    ['main/host/models/profile-secret.ts', "rest.replaceAll(secret, '[the key]')", 'rest'],
  ),
  row(
    'logins',
    'a login to a server is for it and for the one who gave it',
    ['main/adapters/mcp'],
    ['main/adapters/mcp/login/logins.test.ts', 'to another place'],
    ['main/adapters/mcp/login/login-fetch.ts', "redirect: 'manual'", "redirect: 'follow'"],
  ),
  row(
    'logins',
    'the login of an address goes to that address as a header, and into no error',
    ['main/adapters/system/outgoing'],
    ['main/adapters/system/outgoing/outgoing.test.ts', 'a login in an address is a header, and no error has it'],
    ['main/adapters/system/outgoing/outgoing.ts', "url.username = url.password = ''", 'url.hash = url.hash'],
  ),
  row(
    'logins',
    'a secret of another tool’s server is not copied',
    ['main/host/imports'],
    ['main/host/imports/hostile-imports.test.ts', 'lose no secret'],
    [
      'main/host/imports/servers.ts',
      'if (!isSecretValue(name, own)) return own',
      'if (isSecretValue(name, own)) return own',
    ],
  ),
  row(
    'logins',
    'git’s own are taken out of what agents see',
    ['main/core/secrets/git-credentials.ts'],
    ['main/core/secrets/git-credentials.test.ts', 'shows %j without its credential'],
    ['main/core/secrets/git-credentials.ts', '(secretSetting.test(name) && !harmlessSetting.test(name)) || ', ''],
  ),
  row(
    'logins',
    'the token of the web window, in no address that is sent',
    ['main/web'],
    ['main/web/socket.test.ts', 'lets a person in, however many sockets say nothing'],
    ['main/web/socket.ts', 'unknown.values().next().value?.terminate()', 'webSocket.terminate()'],
  ),
  row(
    'stores',
    'entries are checked against their schema before they count; only core writes them',
    [
      'main/core/ports/journal.ts',
      'main/core/ports/stores/fold-store.ts',
      'main/core/ports/blob-store.ts',
      'main/core/ports/stores/shared-texts.ts',
    ],
    ['main/adapters/sqlite/broken-storage.test.ts', 'are named like any other when they are no JSON any more'],
    ['main/adapters/sqlite/rows/entry-rows.ts', 'if (entry && parsed.success) return entry', 'return toEntry(row)'],
  ),
  row(
    'stores',
    'a folder that is not trusted asks before it tells all projects something',
    ['main/core/ports/stores/user-memories.ts', 'main/core/ports/stores/shared-texts.ts'],
    ['main/core/approval/policy.test.ts', 'asks in a folder that is not trusted about a memory for all projects'],
    ['main/core/approval/policy.ts', '!isTrusted && access', '!isTrusted && false && access'],
  ),
  row(
    'stores',
    'what all projects read is guarded by whatever name it has in this one',
    ['main/core/ports/stores/user-memories.ts', 'main/core/ports/stores/shared-texts.ts'],
    [
      'main/../../integration/parity-user-memories.test.ts',
      'asks too where the folder has a place of this name itself, and for a store of all projects',
    ],
    ['main/core/agent/runtime/agent-policy.ts', 'placesForAll: placesForAll(routes),', ''],
  ),
  row(
    'stores',
    'what allows a tool in general says nothing about all projects',
    ['main/core/ports/stores/user-memories.ts', 'main/core/ports/stores/shared-texts.ts'],
    ['main/core/approval/policy.test.ts', 'takes nothing for an answer about all projects'],
    ['main/core/approval/policy.ts', 'if (!leaves && (sandboxed', 'if ((sandboxed'],
  ),
  row(
    'stores',
    'a record of somebody else tells all projects nothing',
    ['main/core/ports/stores/user-memories.ts', 'main/core/ports/stores/shared-texts.ts'],
    ['main/core/records/recorded-decisions.test.ts', 'tells all projects nothing'],
    ['main/core/records/recorded-settings.ts', 'isTrusted: false', 'isTrusted: true'],
  ),
  row(
    'stores',
    'in the data folder, which the app alone may write',
    [
      'main/core/ports/stores/scratch-store.ts',
      'main/core/ports/stores/setup-records.ts',
      'main/core/ports/stores/checkout-folder.ts',
      'main/core/ports/git-storage.ts',
    ],
    ['main/adapters/system/made-folders.test.ts', 'follows no link and touches nothing of another user'],
    [madeFolders, 'return process.getuid !== undefined && uid !== process.getuid()', 'return uid < 0'],
  ),
  ...ofProcedures,
  ...promised,
]
