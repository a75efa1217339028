# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
