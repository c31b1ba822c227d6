#!/usr/bin/env bash
# Tests `buf breaking`: each change below would break a caller of the last release and must be
# refused by its rule.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

refused() { # rule, file, expression of sed
  local rule=$1 file=$2 change=$3 said
  rm -rf "$work/changed"
  mkdir "$work/changed"
  cp -r buf.yaml proto "$work/changed"
  sed -i "$change" "$work/changed/proto/garimpo/$file"
  ! cmp -s "proto/garimpo/$file" "$work/changed/proto/garimpo/$file" || { echo "nothing is changed by $change" >&2; return 1; }
  if said=$(web/node_modules/.bin/buf breaking "$work/changed" --against proto/released.binpb --error-format json); then
    echo "buf breaking let through: $change" >&2
    return 1
  fi
  grep -q "\"type\":\"$rule\"" <<<"$said" || { echo "$change is not refused by $rule: $said" >&2; return 1; }
}

billing=billing/v1/entitlement_service.proto
refused PACKAGE_SERVICE_NO_DELETE $billing '/^service EntitlementService/,/^}/d'
refused RPC_NO_DELETE $billing 's/rpc CheckLimit(/rpc CheckQuota(/'
refused FIELD_NO_DELETE $billing '/^message CheckLimitRequest/,/^}/{/wanted = 3/d}'
refused FIELD_SAME_TYPE $billing 's/int64 wanted = 3/string wanted = 3/'
refused ENUM_VALUE_NO_DELETE errors/v1/error_reason.proto '/CURSOR_EXPIRED/d'
