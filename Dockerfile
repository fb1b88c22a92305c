# syntax=docker/dockerfile:1
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim
# Threads share one heap of the C library, larger buffers have pages of their own: what is freed goes back to the system.
ENV NODE_ENV=production HOST=0.0.0.0 CACHE_DIR=/var/cache/passerelle \
    MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_TOP_PAD_=16384
# SQLite writes temporary files, which have no name, where there is room: the root file system may be read-only.
ENV TMPDIR=/var/cache/passerelle
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/dist ./dist
COPY --from=build --chown=root:root /app/schema/supergraph.graphql ./schema/supergraph.graphql
RUN mkdir -p /var/cache/passerelle && chown node:node /var/cache/passerelle
# The root file system may be read-only: docker run --read-only -v passerelle-cache:/var/cache/passerelle …
VOLUME ["/var/cache/passerelle"]
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 4000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
