import { withoutCredentials } from '#core/secrets/git-credentials.ts'

/**
 * The settings of a person that decide what git says and stores. Left out on purpose: what reaches other machines
 * (`credential`, `http`, `remote`, `url`), what needs a key, what runs a program for the person alone (`core.editor`,
 * `core.pager`, `core.hooksPath`, `core.fsmonitor`, `diff.external`, `init.templateDir`), paths to files that views lack, and
 * what only makes git faster. A filter and a merge driver are programs too. Git would store other bytes without them, so they
 * are given; git itself says when the view lacks the program.
 */
const given: Readonly<Record<string, RegExp>> = {
  advice: /./,
  alias: /./,
  am: /^(keepcr|threeway)$/,
  apply: /^(ignorewhitespace|whitespace)$/,
  author: /^(name|email)$/,
  branch: /^(autosetupmerge|autosetuprebase|sort)$/,
  checkout: /^(defaultremote|guess)$/,
  clone: /^(defaultremotename|rejectshallow)$/,
  commit: /^(cleanup|status|verbose)$/,
  committer: /^(name|email)$/,
  core: /^(abbrev|autocrlf|checkroundtripencoding|comment(char|string)|eol|filemode|ignorecase|logallrefupdates|notesref|precomposeunicode|protect(hfs|ntfs)|quotepath|safecrlf|symlinks|warnambiguousrefs|whitespace)$/,
  diff: /^(algorithm|context|dirstat|(dst|src)prefix|ignoresubmodules|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|relative|rename(limit|s)|statgraphwidth|submodule|suppressblankempty|wordregex|wserrorhighlight)$/,
  'diff.*': /^(algorithm|binary|x?funcname|wordregex)$/,
  fetch: /^(output|prune|prunetags|recursesubmodules)$/,
  'filter.*': /^(clean|process|required|smudge)$/,
  format: /^pretty$/,
  grep: /./,
  i18n: /./,
  init: /^default(branch|objectformat|refformat)$/,
  log: /^(abbrevcommit|date|decorate|diffmerges|excludedecoration|follow|initialdecorationset|mailmap|showroot)$/,
  merge:
    /^(autostash|branchdesc|conflictstyle|defaulttoupstream|directoryrenames|ff|log|renamelimit|renames|renormalize|stat|suppressdest)$/,
  'merge.*': /^(driver|name|recursive)$/,
  pull: /^(ff|octopus|rebase|twohead)$/,
  push: /^(autosetupremote|default|followtags)$/,
  rebase: /^(abbreviatecommands|auto(squash|stash)|backend|forkpoint|missingcommitscheck|stat|updaterefs)$/,
  rerere: /./,
  reset: /^quiet$/,
  revert: /^reference$/,
  stash: /^show(includeuntracked|patch|stat)$/,
  status: /./,
  submodule: /^recurse$/,
  tag: /^sort$/,
  user: /^(name|email|useconfigonly)$/,
  versionsort: /^(suffix|prereleasesuffix)$/,
  worktree: /^(guessremote|userelativepaths)$/,
}

/**
 * Whether git in a view is told this setting. `withheld` is one that it would be told if there were no credential in it. `key` as git
 * prints it; a null value is a key without one.
 */
export function judgeSetting(key: string, value: string | null): 'given' | 'withheld' | 'other' {
  const parts = /^([^.]+)\.(?:(.+)\.)?([^.]+)$/s.exec(key)
  if (!parts) return 'other'
  const [, section = '', inner, name = ''] = parts
  const isAlias = section === 'alias' && inner === undefined && value?.startsWith('!') === false
  const names = given[inner === undefined ? section : `${section}.*`]
  if (section === 'alias' ? !isAlias : names?.test(name) !== true) return 'other'
  // A name may look like a credential, and is in every commit.
  if (/^(user|author|committer)$/.test(section)) return value !== null && value.trim() !== '' ? 'given' : 'other'
  return isOpen(section, name, value ?? '') ? 'given' : 'withheld'
}

/** True for a value without a credential. */
function isOpen(section: string, name: string, value: string): boolean {
  const text = `[${section}]\n\t${name} = "${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
  return withoutCredentials(text) === text
}
