#!/usr/bin/env bash
# bristle sweep: a sweep that is killed at any time and resumed gives the same table; bad input and full disks leave nothing
# behind and overwrite nothing.
command=sweep
source "$(dirname "$0")/../support/command.sh"

cat >s.toml <<'TOML'
[friction]
model = "lugre"
Fc = 1
Fs = 1.5
vs = 0.001
sigma0 = 1e5
sigma1 = 316
kv = 0.4
[system]
kind = "slider"
mass = 1
stiffness = 2
[drive]
kind = "ramp"
velocity = 0.1
[solver]
duration = 20
rtol = 1e-6
[measure]
cycle = "period(slip+)"
n = "count(stick)"
TOML
vary=(--vary drive.velocity=0.05:0.3:24 --vary system.stiffness=0.5:20:20:log)
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

# The table: keys as typed, measures, status, message; rows in order for any number of threads.
run 0 s.toml "${vary[@]}" -o whole
[[ $(head -1 whole/table.csv) == drive.velocity,system.stiffness,cycle,n,status,message ]] || fail "header: $(head -1 whole/table.csv)"
[[ $(wc -l <whole/table.csv) == 481 ]] || fail "$(wc -l <whole/table.csv) lines"
[[ $(sed -n 2p whole/table.csv) == 0.05,0.5,* && $(tail -1 whole/table.csv) == 0.3,20,* ]] || fail "order of the rows"
for f in index.html cycle.svg n.svg sweep.toml; do [[ -s whole/$f ]] || fail "no $f"; done
absent whole/chunks
run 0 s.toml "${vary[@]}" -o one --threads 1 --quiet
[[ ! -s out ]] || fail "--quiet printed $(cat out)"
for f in table.csv index.html cycle.svg; do same one/$f whole/$f; done
run 0 s.toml "${vary[@]}" -o whole --resume --json
grep -q '"runs": 480' out || fail "summary: $(cat out)"

# Killed at random times, then resumed: the same bytes. No temporary file remains.
RANDOM=7
for n in 1 2 3; do
  "$BRISTLE" sweep s.toml "${vary[@]}" -o killed --resume >/dev/null 2>&1 &
  sleep "0.0$((RANDOM % 8 + 1))"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
done
run 0 s.toml "${vary[@]}" -o killed --resume
for f in table.csv index.html cycle.svg; do same killed/$f whole/$f; done
[[ -z $(find killed -name '.bristle-*') ]] || fail "a temporary file remains"

# Ctrl-C: status 130, finished chunks are kept.
env --default-signal=INT "$BRISTLE" sweep s.toml "${vary[@]}" --vary friction.kv=0:0.5:200 -o stopped >out 2>err &
sleep 0.7
status=0
kill -INT $!
wait $! || status=$?
[[ $status == 130 && $(cat err) == *"runs are in stopped, --resume continues" ]] || fail "Ctrl-C: status $status, $(cat err)"
compgen -G 'stopped/chunks/*.csv' >/dev/null || fail "no chunk was kept"
absent stopped/table.csv

# Shards, merged in any order.
for i in 1 2 3; do run 0 s.toml "${vary[@]}" -o shard$i --shard $i/3; done
complains 2 "shard 2/3 is missing; all shards are required" --merge shard3 shard1 -o merged
absent merged
run 0 --merge shard3 shard1 shard2 -o merged
for f in table.csv index.html cycle.svg; do same merged/$f whole/$f; done
complains 2 "shard1: is shard 1/3, as shard1; each shard is required once" --merge shard1 shard1 shard2 -o again
run 0 s.toml --vary drive.velocity=0.05:0.3:5 -o other
run 2 --merge shard1 shard2 other -o again
run 2 --merge shard1 shard2 stopped -o again
absent again

# Folders and changed input.
complains 2 "whole: contains a sweep already; --resume continues it, another folder is required otherwise" s.toml "${vary[@]}" -o whole
mkdir foreign && echo keep >foreign/table.csv
complains 2 "foreign: contains other files; an empty or new folder is required" s.toml "${vary[@]}" -o foreign --resume
[[ $(cat foreign/table.csv) == keep && $(ls foreign | wc -l) == 1 ]] || fail "a foreign folder was changed"
complains 2 "s.toml: is a file; a folder is required" s.toml "${vary[@]}" -o s.toml
cp -r stopped before
sed 's/mass = 1/mass = 2/' s.toml >t.toml && cp s.toml kept.toml && cp t.toml s.toml
complains 2 "stopped: contains a sweep with another content of s.toml; --resume requires the same sweep" \
  s.toml "${vary[@]}" --vary friction.kv=0:0.5:200 -o stopped --resume
cp kept.toml s.toml
complains 2 "stopped: contains a sweep with other keys, ranges or samples; --resume requires the same sweep" s.toml "${vary[@]}" -o stopped --resume
diff -r before stopped >/dev/null || fail "a refused --resume changed the folder"

# Bad input.
complains 2 "--vary drive.velocity=1:2:0: 0 points; at least 1 is required" s.toml --vary drive.velocity=1:2:0 -o bad
complains 2 "--vary drive.velocity=-1:2:5:log: logarithmic range -1 to 2; both ends must be > 0 or both < 0" s.toml --vary drive.velocity=-1:2:5:log -o bad
complains 2 "--vary drive.velocity: drive.velocity is given twice; each key varies once" s.toml --vary drive.velocity=1:2:3 --vary drive.velocity=1:2:3 -o bad
complains 2 "--vary drive.velocty: unknown key 'velocty' in [drive], did you mean 'velocity'?" s.toml --vary drive.velocty=1:2:3 -o bad
complains 2 "--vary drive.velocity: the number of points is missing; drive.velocity=1:2:POINTS, or a sample with --sample sobol:N, is accepted" s.toml --vary drive.velocity=1:2 -o bad
complains 2 "--shard 4/3: must be I/N with whole numbers 1 <= I <= N, such as 1/4" s.toml "${vary[@]}" --shard 4/3 -o bad
no_gpu="device gpu: this build has no GPU support; one with the option BRISTLE_CUDA is required; device cpu is accepted"
complains 2 "s.toml: $no_gpu" s.toml "${vary[@]}" --device gpu -o bad
complains 2 "--device tpu: must be cpu, gpu or auto" s.toml "${vary[@]}" --device tpu -o bad
sed 's/^\[solver\]/[solver]\ndevice = "gpu"/' s.toml >gpu.toml
grep -q 'device = "gpu"' gpu.toml || fail "gpu.toml has no device"
complains 2 "gpu.toml: $no_gpu" gpu.toml "${vary[@]}" -o bad
complains 2 "no key varies; --vary KEY=FROM:TO:POINTS, or [sweep] in the file, is required" s.toml -o bad
sed '/measure/,$d' s.toml >m.toml
complains 2 "m.toml: no measure; [measure] in the file or --measure NAME=EXPR is required" m.toml "${vary[@]}" -o bad
run 2 s.toml "${vary[@]}" --measure status='max(F)' -o bad
run 2 s.toml "${vary[@]}" --sample halton:5 -o bad
run 2 missing.toml "${vary[@]}" -o bad
run 2 -o bad
absent bad
printf '[sweep]\nvary = { "drive.velocity" = { from = 1, to = 2, ponts = 3 } }\n' | cat s.toml - >w.toml
run 2 w.toml -o bad
printf '[sweep.vary]\n"drive.velocity" = {}\n' | cat s.toml - >e.toml
"$BRISTLE" simulate e.toml >/dev/null 2>&1 && fail "simulate accepts an empty range"
"$BRISTLE" simulate w.toml >/dev/null 2>&1 && fail "simulate accepts a wrong [sweep]"

# A disk without space: status 1, no table.
(
  ulimit -f 1
  run 1 s.toml "${vary[@]}" --vary friction.kv=0:0.5:8 -o full
  exit $failures
) || fail "full disk"
has err "cannot be written: File too large"
absent full/table.csv

# Sobol sample from [sweep]; runs that fail are rows.
printf '[sweep]\nsample = "sobol:32"\n[sweep.vary]\nfriction.Fs = { from = 0.5, to = 2 }\n"drive.velocity" = { from = 0.05, to = 0.3 }\n' | cat s.toml - >w.toml
run 0 w.toml -o sample
[[ $(grep -c ',failed,' sample/table.csv) == 11 && $(wc -l <sample/table.csv) == 33 ]] || fail "$(cat sample/table.csv)"
run 1 s.toml --vary system.mass=1:2:3 --set solver.max_steps=10 -o failed
has err "no run succeeded"

verdict
