"""Between the wire's messages and the package's types. Needs protobuf."""
