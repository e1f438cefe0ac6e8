using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(
    name = "main",
    worker = (
      modules = [(name = "worker", esModule = embed "bundle.js")],
      compatibilityDate = "2026-11-01",
      compatibilityFlags = ["nodejs_compat"],
    ),
  )],
  sockets = [(name = "http", address = "127.0.0.1:3000", http = (), service = "main")],
);
