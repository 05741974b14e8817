import { randomUUID } from 'node:crypto'
import type { CommandUser } from '../../system/command-user.ts'
import { inNamespacesOf, systemScript } from '../../system/namespaces.ts'

/**
 * Prints the topmost folders of the layer part `$1` that hide all that lies below them, each with a NUL. Without such a
 * mark a folder only adds to what lies below. No common program reads the mark, so the kernel is asked: each folder gets a
 * witness in a layer below it, and where the witness does not show, the folder hides what is below. `$2` is a scratch
 * folder and `$3` the name of the witnesses. A link in `$4` at one of the other folders ends the script.
 */
const hidingFunction = `hiding() { local from=$1 scratch=$2 witness=$3 whole=$4 top= folder
  find "$from" -mindepth 1 -type d -printf '%P\\0' > "$scratch/folders"
  if ! [ -s "$scratch/folders" ]; then return 0; fi
  mkdir "$scratch/below" "$scratch/shown"
  (cd "$scratch/below"; xargs -0 -r -a ../folders mkdir -p --)
  (cd "$scratch/below"; find . -type d -printf "%p/$witness\\0" | xargs -0 touch --)
  ln -s "$from" "$scratch/above"
  (cd "$scratch"; mount -t overlay overlay -o lowerdir=above:below,userxattr shown)
  while IFS= read -r -d '' folder; do
    case $folder in "$top"/*) continue;; esac
    if ! [ -e "$scratch/shown/$folder/$witness" ]; then top=$folder; printf '%s\\0' "$folder"
    elif [ -n "$whole" ] && [ -L "$whole/$folder" ]; then exit 1; fi
  done < "$scratch/folders"
  umount "$scratch/shown"; rm -rf "$scratch/below" "$scratch/shown" "$scratch/above"
}`

/**
 * Puts folders that hide what lies below them into `$2`, where the layer `$1` has folders over what an older one says is
 * gone: below that mark nothing of the project shows. The kernel makes the first one, in `$3`, and the others are its copies.
 */
const keepHiddenFunction = `keep_hidden() { local from=$1 whole=$2 place=$3 folder
  find "$from" -mindepth 1 -type d -printf '%P\\0' > "$scratch/folders"
  while IFS= read -r -d '' folder; do
    if ! [ -c "$whole/$folder" ]; then continue; fi
    if ! [ -e "$place" ]; then
      mkdir -p "$place"/{below/x,upper,work,shown}
      (cd "$place"; mount -t overlay overlay -o lowerdir=below,upperdir=upper,workdir=work,userxattr shown)
      rm -r "$place/shown/x"; mkdir "$place/shown/x"; umount "$place/shown"
    fi
    rm -- "$whole/$folder"; cp -a -- "$place/upper/x" "$whole/$folder"
  done < "$scratch/folders"
}`

/**
 * Makes one layer of many, in its two empty folders. For each layer, from the oldest: removes what it hides of the ones below it, then adds its
 * own files as hard links. Files keep all they have, since they stay the same files; folders are copied with their
 * permissions, times and marks.
 *
 * Nothing is removed through a link: parents come before their content, each is hidden or a real folder in what was joined
 * so far, and anything else ends the script.
 */
const joinScript = `${hidingFunction}
${keepHiddenFunction}
set -e; shopt -s nullglob dotglob; cd "$1"; into=$2; witness=$3; shift 3
mkdir "$into/scratch"; mount -t tmpfs tmpfs "$into/scratch"; scratch=$PWD/$into/scratch
for part in files home; do
  whole=$PWD/$into/$part
  for one; do
    from=$PWD/$one/$part; entries=("$from"/*)
    if [ "\${#entries[@]}" = 0 ]; then continue; fi
    hiding "$from" "$scratch" "$witness" "$whole" > "$scratch/hidden"
    find "$from" -mindepth 1 ! -type d -printf '%P\\0' >> "$scratch/hidden"
    (cd "$whole"; xargs -0 -r -a "$scratch/hidden" rm -rf --)
    keep_hidden "$from" "$whole" "$PWD/$into/mark"
    cp -al -- "$from/." "$whole"
  done
done
umount "$scratch"; rmdir "$scratch"; rm -rf "$into/mark"`

const opaqueScript = `${hidingFunction}
set -e; cd "$1"; witness=$2; mkdir "$witness"; mount -t tmpfs tmpfs "$witness"; shift 2
for one; do printf '/%s\\0' "$one"; hiding "$PWD/$one/files" "$PWD/$witness" "$witness" ''; done
umount "$witness"; rmdir "$witness"`

/**
 * The command line that prints, for each of the layers `ids`, its name after a slash and then the topmost folders of its files that
 * hide what lies below, each with a NUL.
 */
export function findOpaque(folder: string, ids: readonly string[]): readonly string[] {
  return inNamespacesOf({ kind: 'own' }, systemScript(opaqueScript, [folder, `.${randomUUID()}`, ...ids]))
}

/**
 * The command line that joins the layers `ids`, from the oldest to the newest, into the existing folder `into`. All are
 * names of folders in `folder`. Where commands are another user, some files in layers belong to that one.
 */
export function joinLayers(folder: string, into: string, ids: readonly string[], user: CommandUser): readonly string[] {
  const parameters = [folder, into, `.${randomUUID()}`, ...ids]
  const kind = user.kind === 'other' ? 'everyone' : 'own'
  return inNamespacesOf({ kind }, systemScript(joinScript, parameters))
}
