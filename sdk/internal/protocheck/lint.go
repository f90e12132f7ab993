package protocheck

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"google.golang.org/protobuf/types/descriptorpb"
)

var (
	versioned  = regexp.MustCompile(`^[a-z]+(\.[a-z]+)*\.v[1-9][0-9]*$`)
	upperCamel = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	lowerSnake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// Lint lists faults of style: packages carry a version and match their folder;
// messages, enums, services and methods are UpperCamel, fields lower_snake;
// enum values carry the enum's name and zero is _UNSPECIFIED; a method takes
// METHODRequest and gives a Response; everything has a comment. The set must
// carry source information.
func Lint(set *descriptorpb.FileDescriptorSet) []string {
	var faults []string
	for _, f := range set.File {
		l := linter{file: f, comments: map[string]bool{}}
		for _, loc := range f.GetSourceCodeInfo().GetLocation() {
			if strings.TrimSpace(loc.GetLeadingComments()) != "" {
				l.comments[fmt.Sprint(loc.Path)] = true
			}
		}
		l.lint()
		faults = append(faults, l.faults...)
	}
	return faults
}

type linter struct {
	file     *descriptorpb.FileDescriptorProto
	comments map[string]bool // by descriptor path
	faults   []string
}

func (l *linter) note(format string, args ...any) {
	l.faults = append(l.faults, l.file.GetName()+": "+fmt.Sprintf(format, args...))
}

func (l *linter) commented(what string, at []int32) {
	if !l.comments[fmt.Sprint(at)] {
		l.note("%s has no comment", what)
	}
}

// Field numbers of descriptor.proto; the path of a source location consists of them.
const (
	fileMessage, fileEnum, fileService           = 4, 5, 6
	messageField, messageNested, messageEnum     = 2, 3, 4
	messageOneof, enumValue, serviceMethod   int = 8, 2, 2
)

func (l *linter) lint() {
	f := l.file
	if f.GetSyntax() != "proto3" {
		l.note("syntax is %q; want proto3", f.GetSyntax())
	}
	if !versioned.MatchString(f.GetPackage()) {
		l.note("package %q has no version suffix", f.GetPackage())
	}
	if dir := path.Dir(f.GetName()); strings.ReplaceAll(f.GetPackage(), ".", "/") != dir {
		l.note("package %q does not match folder %s", f.GetPackage(), dir)
	}
	for i, m := range f.MessageType {
		l.message(m.GetName(), m, []int32{fileMessage, int32(i)})
	}
	for i, e := range f.EnumType {
		l.enum(e, []int32{fileEnum, int32(i)})
	}
	for i, s := range f.Service {
		l.service(s, []int32{fileService, int32(i)})
	}
}

func (l *linter) message(name string, m *descriptorpb.DescriptorProto, at []int32) {
	if m.GetOptions().GetMapEntry() {
		return
	}
	l.commented("message "+name, at)
	if !upperCamel.MatchString(m.GetName()) {
		l.note("message %s is not UpperCamel", name)
	}
	synthetic := map[int32]bool{}
	for i, f := range m.Field {
		field := name + "." + f.GetName()
		l.commented("field "+field, child(at, messageField, i))
		if !lowerSnake.MatchString(f.GetName()) {
			l.note("field %s is not lower_snake", field)
		}
		if f.GetProto3Optional() {
			synthetic[f.GetOneofIndex()] = true
		}
	}
	for i, o := range m.OneofDecl {
		if synthetic[int32(i)] {
			continue
		}
		l.commented("oneof "+name+"."+o.GetName(), child(at, messageOneof, i))
		if !lowerSnake.MatchString(o.GetName()) {
			l.note("oneof %s.%s is not lower_snake", name, o.GetName())
		}
	}
	for i, n := range m.NestedType {
		l.message(name+"."+n.GetName(), n, child(at, messageNested, i))
	}
	for i, e := range m.EnumType {
		l.enum(e, child(at, messageEnum, i))
	}
}

func (l *linter) enum(e *descriptorpb.EnumDescriptorProto, at []int32) {
	l.commented("enum "+e.GetName(), at)
	if !upperCamel.MatchString(e.GetName()) {
		l.note("enum %s is not UpperCamel", e.GetName())
	}
	prefix := upperSnake(e.GetName()) + "_"
	for i, v := range e.Value {
		l.commented("value "+v.GetName(), child(at, enumValue, i))
		if !strings.HasPrefix(v.GetName(), prefix) || v.GetName() != strings.ToUpper(v.GetName()) {
			l.note("value %s of enum %s does not start with %s", v.GetName(), e.GetName(), prefix)
		}
		if v.GetNumber() == 0 && v.GetName() != prefix+"UNSPECIFIED" {
			l.note("zero of enum %s is %s; want %sUNSPECIFIED", e.GetName(), v.GetName(), prefix)
		}
	}
}

func (l *linter) service(s *descriptorpb.ServiceDescriptorProto, at []int32) {
	l.commented("service "+s.GetName(), at)
	if !upperCamel.MatchString(s.GetName()) {
		l.note("service %s is not UpperCamel", s.GetName())
	}
	for i, m := range s.Method {
		name := s.GetName() + "." + m.GetName()
		l.commented("method "+name, child(at, serviceMethod, i))
		if !upperCamel.MatchString(m.GetName()) {
			l.note("method %s is not UpperCamel", name)
		}
		if want := m.GetName() + "Request"; path.Ext(m.GetInputType()) != "."+want {
			l.note("method %s takes %s; want %s", name, m.GetInputType(), want)
		}
		if !strings.HasSuffix(m.GetOutputType(), "Response") {
			l.note("method %s gives %s; want a name that ends in Response", name, m.GetOutputType())
		}
	}
}

func child(at []int32, field, i int) []int32 {
	return append(append([]int32(nil), at...), int32(field), int32(i))
}

// upperSnake turns MoveKind into MOVE_KIND.
func upperSnake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
