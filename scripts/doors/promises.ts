import type { Row } from './doors.ts'

/** The guards of promises in `docs/security.md` that no door has. Each is a row like those of `doors.ts`, without doors. */
export const promised: readonly Row[] = [
  guard(
    'a page of the public internet alone',
    ['adapters/web/page-reader.test.ts', 'is not asked: %s'],
    [
      'adapters/web/page-reader.ts',
      'find(({ address }) => !isPublicAddress(address))',
      'find(({ address }) => address === isPublicAddress.name)',
    ],
  ),
  guard(
    'a page at the address that was checked',
    ['adapters/web/page-reader.test.ts', 'connects to what it resolved, once for each request'],
    ['adapters/system/outgoing/pinned.ts', 'connect: { lookup }', 'connect: { ...(!lookup && { lookup }) }'],
  ),
  guard(
    'a host of a page asks',
    ['core/approval/policy.test.ts', 'asks in the mode %s, and not where a rule allows its host'],
    ['core/approval/policy.ts', 'if (access.host !== undefined)', "if (access.host === '')"],
  ),
  guard(
    'a page cannot end its block',
    ['core/tools/fetch-url.test.ts', 'marks what a page says as data, in a block that the page cannot end'],
    [
      'core/tools/fetch-url.ts',
      'blocks({ page: text }, mark)',
      "['<page>', text, '</page>', blocks({}, mark)].join(mark)",
    ],
  ),
  guard(
    'a command only narrows what its run may do unasked',
    [
      '../../integration/slash-commands.test.ts',
      'makes every other call that changes something ask, also of subagents, until the next message',
    ],
    [
      'core/agent/runtime/agent-policy.ts',
      'createJudge(policy())(beyond === undefined ? call',
      'createJudge(policy())(beyond !== undefined ? call',
    ],
  ),
  guard(
    'commands and skills of a folder wait for trust',
    [
      '../../integration/obeying-model.test.ts',
      'obeys the commands and skills of a hostile folder, but reads none before trust and has no effect that nobody approved after',
    ],
    [
      'host/extensions/extension-source.ts',
      'trusted() ? projectCommandFiles(files)',
      'trusted() || files ? projectCommandFiles(files)',
    ],
  ),
  guard(
    'a hook of a project runs as a person approved it',
    ['host/hooks/hook-list.test.ts', 'runs those of the person at once, and one of the project as it was approved'],
    ['host/hooks/hook-list.ts', '(folderTrusted() && approved.isTrusted(hash))', 'folderTrusted()'],
  ),
  guard(
    'a hook of a project allows nothing',
    ['core/agent/stages/hooks.test.ts', 'of a project allows nothing'],
    ['core/agent/stages/stage.ts', "return verdict?.kind === 'allow' ? undefined : verdict", 'return verdict'],
  ),
  guard(
    'a hook of the person runs nothing of a folder that is not trusted',
    ['host/hooks/hook-list.test.ts', 'starts nothing of a folder that is not trusted for a hook of the person'],
    [
      'host/hooks/hook-list.ts',
      'if (!folderTrusted() && namesProject(hook, options.folderNames))',
      'if (folderTrusted() && namesProject(hook, options.folderNames))',
    ],
  ),
  guard(
    'a hook lifts no rule, no setting and no secret of the person',
    ['core/agent/stages/hooks.test.ts', 'answers a question of the mode, but none of a rule, a setting or a secret'],
    [
      'core/approval/policy.ts',
      'question.allowedBy !== undefined && asking === undefined && secretReason(question) === undefined',
      'question.allowedBy !== undefined',
    ],
  ),
  guard(
    'a hook that asks leaves the mode Plan as it is',
    ['core/agent/stages/hooks.test.ts', 'that asks in the mode Plan does not let a command change anything'],
    ['core/agent/calls/judge-call.ts', 'return { ...staged, drops: true }', 'return staged'],
  ),
  guard(
    'hooks hear of each file of an external agent’s call',
    ['../../integration/external-hooks.test.ts', 'by a file outside of the project, however its path is written'],
    ['core/agent/stages/their-calls.ts', ', ...listed(outside)', ''],
  ),
  guard(
    'an external agent is answered about what it asks now',
    ['../../integration/external-hooks.test.ts', 'by asking for something else under an id that was allowed'],
    ['core/agent/external/external-turn.ts', 'JSON.stringify([tool.name, given])', 'JSON.stringify([tool.name])'],
  ),
  guard(
    'only the person defines an external agent',
    ['host/extensions/external-definitions.test.ts', 'takes no external agent from a project, in any file'],
    ['host/extensions/agents.ts', 'agents: agents.filter(({ program }) => program === null)', 'agents: agents'],
  ),
  guard(
    'what an external agent changed counts only if the rules let it',
    [
      '../../integration/external-agents.test.ts',
      'keeps nothing of what a rule denies, however the agent changed it, and takes it out of its view',
    ],
    [
      'core/agent/external/store-changes.ts',
      "if (verdict.kind === 'run') return",
      "if (verdict.kind === 'run' || verdict.kind === 'refuse') return",
    ],
  ),
  guard(
    'what an external agent changed last counts only if the rules let it',
    ['../../integration/external-agents.test.ts', 'keeps nothing of what a rule denies when it changed that and died'],
    [
      'core/agent/external/last-refusal.ts',
      "if (gate.kind === 'run') return",
      "if (gate.kind === 'run' || gate.kind === 'refuse') return",
    ],
  ),
  guard(
    'an external agent is answered by the rules before a person',
    ['../../integration/external-agents.test.ts', 'asks before it does something, by our rules and in our mode'],
    [
      'core/agent/external/permission.ts',
      "if (verdict.kind === 'refuse') return { kind: 'refused', reason: verdict.message, answer: null }",
      "if (verdict.kind === 'refuse') return { kind: 'allowed', answer: null }",
    ],
  ),
  guard(
    'an external agent calls only the tools of ours that it lacks',
    ['../../integration/external-tools.test.ts', 'are those that it does not have itself'],
    ['core/agent/prompt/capabilities.ts', 'return (tool) => isAskable(tool)', 'return () => true'],
  ),
  guard(
    'the file tools of an external agent reach nothing of the project',
    [
      '../../integration/external-tools.test.ts',
      'reach memories and results beside the project, and no file of the project',
    ],
    ['core/agent/external/askable-tools.ts', 'named.every(isBeside) ?', 'named.length > 0 ?'],
  ),
  guard(
    'an apply in an editor is a yes to a list',
    [
      '../../integration/editors/acp.test.ts',
      'streams, edits on a branch, and writes the folder only after a yes to the list',
    ],
    [
      'cli/acp/commands.ts',
      "if (outcome.outcome !== 'selected' || outcome.optionId !== 'apply')",
      "if (outcome.outcome === 'cancelled')",
    ],
  ),
  guard(
    'a decision fits one call that waits, once',
    ['core/agent/calls/decisions.test.ts', 'takes each decision once, in any order, and runs nothing twice'],
    ['core/agent/calls/decisions.ts', 'if (!isAsking(thread.calls.get(decision.callId))) {', 'if (!decision.callId) {'],
  ),
  guard(
    'only a person’s own words name a resource of a server',
    [
      '../../integration/server-resources.test.ts',
      'reads no resource that a command of the project names, because nobody would be asked',
    ],
    [
      'host/inputs/read-asked.ts',
      'const inputs = await readMentions(project',
      "const { inputs } = await (await import('./read-resources.ts')).readNamed(project",
    ],
  ),
  guard(
    'a plan is approved by a person alone',
    [
      'core/agent/calls/plan-decisions.test.ts',
      'is asked about whatever rules and settings allow, and is narrowed by them',
    ],
    [
      'core/approval/policy.ts',
      'if (question.tool.isPlan) return askAboutPlan',
      'if (question.tool.isPlan && settings.unclear) return askAboutPlan',
    ],
  ),
  guard(
    'a plan leaves the mode as it is unless a person names another',
    [
      'core/agent/calls/plan-decisions.test.ts',
      'stays in the mode Plan when nobody named another one, so that nothing is changed',
    ],
    [
      'core/agent/prompt/plan-tool.ts',
      'decision.mode ?? now.approvalMode',
      "decision.mode ?? (now.approvalMode && 'auto-edit')",
    ],
  ),
  guard(
    'changed files that a command uses are found',
    ['core/approval/changed-scripts.test.ts', '%s runs %j'],
    ['core/approval/changed-scripts.ts', ' || recipeNames.has(nameOf(path))', ''],
  ),
  guard(
    'what a call did waits beside the branch',
    ['core/agent/calls/call-effects.test.ts', 'waits for a person, with what it did, when a rule let it run'],
    [
      'core/agent/calls/settle-call.ts',
      "if (verdict.kind === 'ask' && outcome !== null) {",
      "if (verdict.kind === 'refuse' && outcome === null) {",
    ],
  ),
  guard(
    'a rule that denies what was done keeps nothing',
    ['core/agent/calls/call-effects.test.ts', 'keeps nothing of what a rule forbids, even if a person approved it'],
    [
      'core/agent/calls/settle-call.ts',
      "const isRefused = verdict.kind === 'refuse' || verdict.kind === 'ask'",
      "const isRefused = verdict.kind === 'ask'",
    ],
  ),
  guard(
    'green only with what agents left is red',
    ['core/checks/project-checks.test.ts', 'is not green by what they left, and says so'],
    ['core/checks/check-runs.ts', "return withAll.outcome === 'red' ? withAll : {", 'return withAll.run ? withAll : {'],
  ),
  guard(
    'one branch moves, and no hook of the repository runs',
    ['../../integration/command-line/deliver.test.ts', 'delivers changes as a commit of a new branch'],
    ['adapters/git/git-delivery.ts', "'-c', 'core.hooksPath=/dev/null', ", ''],
  ),
  guard(
    'a red check keeps a merge back',
    ['core/checks/green-queue.test.ts', 'refuse what is green alone and red together, and leave the parent as it was'],
    ['core/checks/green-queue.ts', 'if (failed.length > 0)', 'if (failed.length > 99)'],
  ),
  guard(
    'a profile that denies what it does not allow',
    ['adapters/shell/seatbelt/profile.test.ts', 'refuses by default'],
    ['adapters/shell/seatbelt/profile.ts', "'(deny default)'", "'(allow default)'"],
  ),
  guard(
    'what could not be tried is not believed',
    ['adapters/shell/wsl/open-wsl.test.ts', 'is off when nothing ran, and on only when everything was tried'],
    ['adapters/shell/wsl/probe.ts', 'if (!hasTriedWindows) found.push(', 'if (hasTriedWindows === null) found.push('],
  ),
  guard(
    'a network of its own for the processes of a branch',
    [
      'adapters/shell/processes/branch-network.test.ts',
      'is seen to keep commands from the machine, and a way into no network is seen not to',
    ],
    ['adapters/shell/processes/branch-network.ts', "'--unshare-net', ", ''],
  ),
  guard(
    'what a command can open of the machine is tried before the sandbox is believed',
    ['host/testing/command-user.test.ts', 'is told apart by the probe, which finds what is open without covers'],
    ['adapters/shell/bubblewrap/probe.ts', 'opened.length === 0 ?', 'opened !== null ?'],
  ),
  guard(
    'no place with a credential is readable, by whatever way',
    ['adapters/shell/tool-chains.test.ts', 'takes no variable that leads to the home, above it, to the app’s data'],
    ['adapters/shell/readable-places.ts', 'credentials.some((one) => isAbove(one, place))', 'false'],
  ),
  guard(
    'renames are answered inside the sandbox, by the same user',
    ['host/testing/command-renames.test.ts', 'renames folders with the results of a plain disk'],
    ['adapters/shell/bubblewrap/bubblewrap.ts', "[...inside, ['answer-renames']]", 'inside'],
  ),
  guard(
    'no proxy for a command without hosts',
    ['host/testing/command-network.test.ts', 'without a granted host finds no trace of a proxy'],
    ['adapters/shell/bubblewrap/open-bubblewrap.ts', 'canGrant && hosts.length > 0', 'canGrant'],
  ),
  guard(
    'nothing of this machine that the person did not name for the project',
    [
      'host/testing/command-reach.test.ts',
      'has what the settings name for its project, and another project has nothing of it',
    ],
    [
      'host/project/open-runners.ts',
      'reachFor(settings.read().reach, rootFolder)',
      'reachFor(settings.read().reach, null)',
    ],
  ),
  guard(
    'a reply is checked before the journal has it',
    ['adapters/model-http/check-reply.test.ts', 'refuses a call whose tool is %j'],
    ['adapters/model-http/check-reply.ts', "if (name.trim() === '')", 'if (name === null)'],
  ),
  guard(
    'a recorded approval grants no host',
    ['core/records/recorded-decisions.test.ts', 'grants no host'],
    ['core/records/recorded-decisions.ts', 'const { hosts: _, ...rest } = decision', 'const rest = decision'],
  ),
  guard(
    'what is mounted in a folder of the app is not emptied',
    ['adapters/system/made-folders.test.ts', 'is unmounted, and the folder goes without its files'],
    ['adapters/system/made-folders.ts', 'lookAt(place)?.isDirectory() ? unmountBelow', 'place === null ? unmountBelow'],
  ),
  guard(
    'layers are joined through no link',
    [
      'adapters/mounts/layers/shorten-stack.test.ts',
      'stay as they are where no command could have made them, so nothing is removed through their links',
    ],
    ['adapters/mounts/layers/join-script.ts', '\n    elif [ -n "$whole" ] && [ -L "$whole/$folder" ]; then exit 1', ''],
  ),
  guard(
    'a worktree and its repository lead to each other',
    ['adapters/mounts/git/linked-repository.test.ts', 'shows nothing: %s'],
    [
      'adapters/mounts/git/linked-repository.ts',
      'realpathSync.native(dirname(resolve(worktree, back))) === root &&',
      '',
    ],
  ),
  guard(
    'a link of a command that leads outside is not kept',
    ['adapters/mounts/outside-links.test.ts', 'is kept only if it stays inside: %s'],
    ['adapters/mounts/outside-links.ts', 'return place !== null && !moved.has(place)', 'return false'],
  ),
  guard(
    'a line that cannot be read asks',
    ['core/approval/deny-rules.test.ts', 'says $effect to $line with deny $rule'],
    ['core/approval/rules.ts', "if (unread !== undefined) return { fit: 'maybe', because: unread }", ''],
  ),
  guard(
    'what is typed is judged with the command that reads it',
    [
      'core/agent/processes/branch-processes.test.ts',
      'ask before something is typed unless both are allowed, not %s alone',
    ],
    [
      'core/agent/runtime/call-access.ts',
      'if (name !== toolFacts.process_input.name) return access',
      'if (name !== undefined) return access',
    ],
  ),
  guard(
    'a line with odd characters is not allowed by a rule',
    ['core/approval/rules.test.ts', 'still ask about %j with allow Bash(npm run *)'],
    ['core/approval/shell-line.ts', ' || findOddCharacters(line).length > 0', ''],
  ),
  guard(
    'invisible characters are drawn as escapes',
    ['renderer/ui/controls/split-visible.test.ts', 'never drops a character'],
    ['renderer/ui/controls/split-visible.ts', 'end = index + character.length', 'end = index'],
  ),
  guard(
    'Markdown has bounds',
    ['renderer/parts/markdown/markdown-bounds.test.ts', 'finds text beyond each bound'],
    ['renderer/parts/markdown/markdown-bounds.ts', 'if (marks > markdownBounds.marks) return true', ''],
  ),
  guard(
    'control characters are escaped for a terminal',
    ['shared/text/control-characters.test.ts', 'leaves nothing that a terminal obeys or hides'],
    ['shared/text/control-characters.ts', 'String.raw`(?![\\n\\t])', 'String.raw`(?!)'],
  ),
  guard(
    'an empty list of tools is an answer',
    ['host/mcp/mcp-trust.test.ts', 'asks about every tool of a server that listed none at first'],
    ['host/mcp/mcp-trust.ts', '{ answered: true, tools: {', '{ answered: Object.keys(tools).length > 0, tools: {'],
  ),
  guard(
    'a code is taken from the one whom the person was sent to',
    ['adapters/mcp/login/logins.test.ts', 'takes nothing from a browser that comes from'],
    [
      'adapters/mcp/login/begin-login.ts',
      "const iss = parameters.get('iss') ?? undefined",
      'const iss = metadata?.issuer',
    ],
  ),
  guard(
    'a login of this machine answers to this machine’s own name',
    ['adapters/mcp/login/logins.test.ts', 'does not hear of a browser that knows this machine by another name'],
    [
      'adapters/mcp/login/redirect-listener.ts',
      "request.method === 'GET' && request.headers.host === new URL(address()).host",
      "request.method === 'GET'",
    ],
  ),
  guard(
    'a server far away sends no login to this machine',
    ['adapters/mcp/login/login-fetch.test.ts', 'asks nobody at such an address'],
    ['adapters/mcp/login/login-fetch.ts', 'if (problem !== undefined) throw', 'if (problem === null) throw'],
  ),
  guard(
    'a page that a server names is a page of the web',
    ['adapters/mcp/server-questions.test.ts', 'does not offer'],
    ['adapters/mcp/server-questions.ts', '/^https?:$/.test(address.protocol)', "address.protocol !== ''"],
  ),
  guard(
    'a login leads to a page of the web',
    ['adapters/mcp/login/logins.test.ts', 'opens no page that is no page of the web'],
    ['adapters/mcp/login/begin-login.ts', 'if (problem !== undefined) throw', 'if (problem === null) throw'],
  ),
  guard(
    'a login is renewed once for all who meet its end',
    ['adapters/mcp/login/logins.test.ts', 'is renewed once for all calls that meet it'],
    ['adapters/mcp/login/renew-login.ts', 'if (known) return known\n', ''],
  ),
  guard(
    'code that was refused subagents asks about all others',
    ['core/agent/delegation/awaited.test.ts', 'asks about everything further once a person %s what it waits for'],
    ['core/tools/delegate/batch-task.ts', 'if (!isRefused && questionsUpTo', 'if (questionsUpTo'],
  ),
  guard(
    'spans leave only where the person’s settings say so',
    [
      'host/telemetry/telemetry.test.ts',
      'is named by the settings, and by the standard variable only when they say so',
    ],
    [
      'host/settings/outward.ts',
      'isFromEnvironment ? environment.OTEL_EXPORTER_OTLP_ENDPOINT : undefined',
      'isFromEnvironment || environment ? environment.OTEL_EXPORTER_OTLP_ENDPOINT : undefined',
    ],
  ),
  guard(
    'spans hold no texts unless the person’s settings say so',
    [
      'host/telemetry/telemetry.test.ts',
      'arrive at a collector by the conventions, subagents below the call that started them, without contents',
    ],
    ['host/telemetry/telemetry.ts', 'findTarget()?.content === true', 'findTarget()?.content !== undefined'],
  ),
  guard(
    'spans name agents and tools by no words of a task',
    [
      'host/telemetry/telemetry.test.ts',
      'have no words of a task in the names of agents, nor what a model wrote in the place of a tool',
    ],
    ['host/telemetry/spans.ts', 'Object.hasOwn(toolFacts, written) ||', 'written !== undefined ||'],
  ),
  guard(
    'scripts of a folder for other tools wait for trust',
    ['host/setup/project-scripts.test.ts', 'is not there before trust, and nothing of it starts'],
    ['host/terminals/process-handlers.ts', 'info().trusted ? await setup.scripts()', 'info() ? await setup.scripts()'],
  ),
  guard(
    'what runs after a branch is what the person accepted',
    [
      'host/setup/project-scripts.test.ts',
      'does not run before the person accepted it, nor while the folder is not trusted',
    ],
    ['host/project/start-work.ts', 'folder.isTrusted() ? (ownSetup', 'folder.isTrusted ? (ownSetup'],
  ),
  guard(
    'variables of a project are set inside of the sandbox',
    [
      'adapters/shell/shell.test.ts',
      'sets the variables of a project inside of the command alone, whatever their text',
    ],
    ['adapters/shell/shell.ts', '...grants?.variables,', '...grants?.variables,\n        ...findVariables(),'],
  ),
  guard(
    'a project’s setup gets the hosts that the person accepted',
    ['host/settings/setup-settings.test.ts', 'has no host of the project before the person allowed it'],
    ['host/settings/setup-settings.ts', 'const granted = own.hosts ?? []', 'const granted = project.hosts ?? []'],
  ),
  guard(
    'a project’s settings only add',
    ['host/extensions/narrow-settings.test.ts', 'ask and deny more, and allow nothing'],
    [
      'host/extensions/narrow-settings.ts',
      'ask: asked, allow }',
      'ask: asked, allow: [...allow, ...(permissions?.allow ?? [])] }',
    ],
  ),
  guard(
    'an import reads nothing of a folder before it is trusted',
    ['host/imports/hostile-imports.test.ts', 'that is not trusted is not read'],
    ['host/imports/find.ts', 'project?.info().trusted === true && project.rootFolder', 'project && project.rootFolder'],
  ),
  guard(
    'an imported hook begins switched off',
    ['host/imports/take-imports.test.ts', 'counts here as it did there once it is taken'],
    [
      'host/imports/take.ts',
      'for (const hash of receipt.hooks) await',
      'for (const hash of receipt.hooks.slice(0, 0)) await',
    ],
  ),
  guard(
    'an imported agent gets no key that lifts a question or starts a program',
    ['host/imports/take-imports.test.ts', 'counts here as it did there once it is taken'],
    ['host/imports/agents.ts', '.includes(key) ? {} : undefined', '.includes(key) ? {} : { keys: { [key]: value } }'],
  ),
  guard(
    'a variable makes nothing of the open folder the person’s own',
    ['host/imports/sly-imports.test.ts', 'are not followed into the open folder, also through a link, nor from where'],
    ['host/imports/find.ts', 'isInside(real, realPathOf(folder))', 'isInside(given, folder)'],
  ),
  guard(
    'an undo of an import switches no hook on',
    ['host/imports/sly-imports.test.ts', 'switches no hook on that stays'],
    ['host/imports/undo.ts', '!there.has(hash) && switchedOff', 'switchedOff'],
  ),
  guard(
    'an undo of an import restores exactly what was there',
    ['host/imports/take-imports.test.ts', 'restores all files byte for byte'],
    ['host/imports/undo.ts', 'else settings.replace(file.before)', "else settings.replace(file.before + ' ')"],
  ),
]

function guard(name: string, [test, title]: Row['test'], [file, text, without]: Row['mutation']): Row {
  const below = (path: string) => (/^(?:renderer|shared)\//.test(path) ? path : `main/${path}`)
  return {
    kind: 'promises',
    doors: [],
    guard: name,
    test: [below(test), title],
    mutation: [below(file), text, without],
  }
}
