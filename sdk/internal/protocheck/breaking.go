package protocheck

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"
)

// Breaking lists what a peer built from the old descriptors would no longer
// find, or find changed, in the new ones: files, packages, messages, fields
// (number, name, type, label, oneof), enum values, services and methods. Only
// additions are allowed, and moving one old message field into a new oneof, which
// is the same on the wire. If old is nil, the list is empty.
func Breaking(old, new *descriptorpb.FileDescriptorSet) []string {
	var b breakage
	files := index(new.GetFile(), (*descriptorpb.FileDescriptorProto).GetName)
	for _, was := range old.GetFile() {
		is, ok := files[was.GetName()]
		if !ok {
			b.note("file %s is gone", was.GetName())
			continue
		}
		if was.GetPackage() != is.GetPackage() {
			b.note("file %s moved from package %s to %s", was.GetName(), was.GetPackage(), is.GetPackage())
		}
		if was.GetSyntax() != is.GetSyntax() {
			b.note("file %s changed its syntax from %s to %s", was.GetName(), was.GetSyntax(), is.GetSyntax())
		}
		b.messages(was.GetPackage(), was.MessageType, is.MessageType)
		b.enums(was.GetPackage(), was.EnumType, is.EnumType)
		b.services(was.GetPackage(), was.Service, is.Service)
	}
	return b.faults
}

type breakage struct{ faults []string }

func (b *breakage) note(format string, args ...any) {
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

func (b *breakage) messages(scope string, old, new []*descriptorpb.DescriptorProto) {
	now := index(new, (*descriptorpb.DescriptorProto).GetName)
	for _, was := range old {
		name := scope + "." + was.GetName()
		is, ok := now[was.GetName()]
		if !ok {
			b.note("message %s is gone", name)
			continue
		}
		b.fields(name, was, is)
		b.messages(name, was.NestedType, is.NestedType)
		b.enums(name, was.EnumType, is.EnumType)
	}
}

func (b *breakage) fields(message string, was, is *descriptorpb.DescriptorProto) {
	now := index(is.Field, (*descriptorpb.FieldDescriptorProto).GetNumber)
	for _, f := range was.Field {
		g, ok := now[f.GetNumber()]
		if !ok {
			b.note("field %d (%s) of %s is gone", f.GetNumber(), f.GetName(), message)
			continue
		}
		if before, after := signature(was, f), signature(is, g); before != after && !joins(was, is, f, g) {
			b.note("field %d of %s changed from %q to %q", f.GetNumber(), message, before, after)
		}
	}
}

// joins reports whether the only change from f to g is that it became the only old
// field of a new oneof.
func joins(was, is *descriptorpb.DescriptorProto, f, g *descriptorpb.FieldDescriptorProto) bool {
	if f.OneofIndex != nil || g.OneofIndex == nil || f.GetType() != descriptorpb.FieldDescriptorProto_TYPE_MESSAGE ||
		signature(was, f)+" in oneof "+is.OneofDecl[g.GetOneofIndex()].GetName() != signature(is, g) {
		return false
	}
	old := index(was.Field, (*descriptorpb.FieldDescriptorProto).GetNumber)
	for _, of := range is.Field {
		if of.OneofIndex != nil && of.GetOneofIndex() == g.GetOneofIndex() && of.GetNumber() != g.GetNumber() && old[of.GetNumber()] != nil {
			return false
		}
	}
	return true
}

// signature describes everything about a field that peers rely on.
func signature(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) string {
	s := fmt.Sprintf("%s %s%s %s", f.GetLabel(), f.GetType(), f.GetTypeName(), f.GetName())
	if f.GetProto3Optional() {
		return "optional " + s
	}
	if f.OneofIndex != nil {
		return s + " in oneof " + m.OneofDecl[f.GetOneofIndex()].GetName()
	}
	return s
}

func (b *breakage) enums(scope string, old, new []*descriptorpb.EnumDescriptorProto) {
	now := index(new, (*descriptorpb.EnumDescriptorProto).GetName)
	for _, was := range old {
		name := scope + "." + was.GetName()
		is, ok := now[was.GetName()]
		if !ok {
			b.note("enum %s is gone", name)
			continue
		}
		values := index(is.Value, (*descriptorpb.EnumValueDescriptorProto).GetNumber)
		for _, v := range was.Value {
			if w, ok := values[v.GetNumber()]; !ok {
				b.note("value %d (%s) of %s is gone", v.GetNumber(), v.GetName(), name)
			} else if v.GetName() != w.GetName() {
				b.note("value %d of %s was renamed from %s to %s", v.GetNumber(), name, v.GetName(), w.GetName())
			}
		}
	}
}

func (b *breakage) services(scope string, old, new []*descriptorpb.ServiceDescriptorProto) {
	now := index(new, (*descriptorpb.ServiceDescriptorProto).GetName)
	for _, was := range old {
		name := scope + "." + was.GetName()
		is, ok := now[was.GetName()]
		if !ok {
			b.note("service %s is gone", name)
			continue
		}
		methods := index(is.Method, (*descriptorpb.MethodDescriptorProto).GetName)
		for _, m := range was.Method {
			n, ok := methods[m.GetName()]
			if !ok {
				b.note("method %s.%s is gone", name, m.GetName())
			} else if before, after := call(m), call(n); before != after {
				b.note("method %s.%s changed from %q to %q", name, m.GetName(), before, after)
			}
		}
	}
}

func call(m *descriptorpb.MethodDescriptorProto) string {
	stream := func(on bool) string {
		if on {
			return "stream "
		}
		return ""
	}
	return stream(m.GetClientStreaming()) + m.GetInputType() + " to " + stream(m.GetServerStreaming()) + m.GetOutputType()
}

func index[T any, K comparable](list []T, key func(T) K) map[K]T {
	out := make(map[K]T, len(list))
	for _, v := range list {
		out[key(v)] = v
	}
	return out
}
