package fetch

import "slices"

// File is a public file: its path below the data root, its checksum and its sources.
type File struct {
	// Path is relative to the data root, with slashes.
	Path string
	// Set is the name in --models: adult or bank.
	Set string
	// SHA256 is the checksum in hexadecimal.
	SHA256 string
	// Sources are tried in order.
	Sources []Source
	Licence string
}

// Source is a place to download a file from: its own URL, or a member of a zip archive.
type Source struct {
	URL string
	// Members names the file inside the archive; in nested archives, first the inner archives,
	// in turn. nil: the URL is the file.
	Members []string
}

// The public sources. The networks' repository also holds copies of the data, so each data file
// has two sources.
const (
	// fairifyBase is a fixed commit of the Fairify repository.
	fairifyBase = "https://raw.githubusercontent.com/sumonbis/Fairify/5100aa7f77100c5bc4a76cd3ce8b4d949bd01d73/"
	uciBase     = "https://archive.ics.uci.edu/static/public/"

	adultArchive = uciBase + "2/adult.zip"
	// bankArchive holds bankInner, which holds the files in a folder.
	bankArchive = uciBase + "222/bank+marketing.zip"
	bankInner   = "bank-additional.zip"
	bankFolder  = "bank-additional/"

	licenceMIT = "MIT"
	licenceUCI = "CC BY 4.0"
)

// Sets lists the names of the sets, in order.
var Sets = []string{"adult", "bank"}

// Files lists the files of the named sets, by default of all sets.
func Files(sets ...string) []File {
	var out []File
	for _, f := range public {
		if len(sets) == 0 || slices.Contains(sets, f.Set) {
			out = append(out, f)
		}
	}
	return out
}

// public lists the files with their checksums.
var public = []File{
	network("adult", "AC-1", "dd2522d74eae68a4510930b89087caf77036182e8a9dfb73f823a288e4938ec1"),
	network("adult", "AC-2", "b3950fcf6b6b48f2f65ef89d551a259716644cbed07a77ef0e96cd7677fd0c58"),
	network("adult", "AC-3", "1082d4f6cff87c790df48a65563738d360d58289f4922ebc169b99bb6fb76e1a"),
	network("adult", "AC-4", "774c82f82400a764957df4388789c3055d5cf087c4ef6fa6bfbf831b276ea68a"),
	network("adult", "AC-5", "b5cfbccf1cbac3d282aee5cb1b8ed5c2bd2db627c5fb3ab15fee1e5688a718fa"),
	network("adult", "AC-6", "64762da375563e1b6823cf8ff1391fe054a1ac4cfd9ed0696f6da63ab8f98bce"),
	network("adult", "AC-7", "f98952f63dedc2f68aa1b1aed2acefdb7595b9c38be45a747ad308c3977b499a"),
	network("adult", "AC-8", "40c38e8c4be623a2382ab617766c4749a2b4d210952182743c7da92f3037e6b3"),
	network("adult", "AC-9", "14a907add455b69c83bf192fc2ce48003a80667f77e06d88e2a3a0ad2c993186"),
	network("adult", "AC-10", "2982e8ee205df30473044f15f5d3028399dff6d22842b2503d30030c995f7155"),
	network("adult", "AC-11", "d050122d7395a1f4c60c72480459e58a448e6e8d7a661afca3a8a5b9c04d304a"),
	network("adult", "AC-12", "2d00977820c006a2adefd8844d85a62587720cd361fe8a379bf1c72cc47cec19"),
	network("bank", "BM-1", "c88cc0a921adf899944aa4faba096c496fe43427ae6b3dfb20d2c671f06df81d"),
	network("bank", "BM-2", "53e5c8316572e7b4c3ab76d385402ca00637cb4169bf98f086916674851eaf7d"),
	network("bank", "BM-3", "626cf228939c5f18c5048f1a6b5ece2ce02b548fc172f0b9ad7f80079a69435d"),
	network("bank", "BM-4", "4b5b0c4bec3ecb0889bfb27613885abf263a09a9db1307d49f6ccb249ab0c066"),
	network("bank", "BM-5", "00174796136324d85d26f5fbc90e3e0de1c27a28daceb8579fac59f83a481844"),
	network("bank", "BM-6", "75431268e41fe10adbaea9cf73216f09dcd50881d146202b4ddd0a52ef4edae1"),
	network("bank", "BM-7", "7a556de7716c8e6aab85cd5f817df4f3dd056edcb4252abac1034011dbb4ba4e"),
	network("bank", "BM-8", "a8b4e151a2e1a3bd39f9f188194fa52b14eb3be5f15afc41695feed7bce8228a"),
	adultData("adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
	adultData("adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
	adultData("adult.names", "c248284c0b5de30c9e1958d6cdd168a34a654758b620e68f46aefa83fc0a576a"),
	bankData("bank-additional.csv", "7e59cf650004d65d1c9d6b08553bad2ee9a9ad70d594f536e3c584ee6ed5df50"),
	bankData("bank-additional-names.txt", "0e1afc5c8a14bd5f5a26646a19853580a57775e6f00ba798d5a56151e3678dc7"),
}

func network(set, name, sum string) File {
	file := "models/" + set + "/" + name + ".h5"
	return File{
		Path: set + "/models/" + name + ".h5", Set: set, SHA256: sum, Licence: licenceMIT,
		Sources: []Source{{URL: fairifyBase + file}},
	}
}

func adultData(name, sum string) File {
	return File{Path: "adult/" + name, Set: "adult", SHA256: sum, Licence: licenceUCI, Sources: []Source{
		{URL: adultArchive, Members: []string{name}},
		{URL: fairifyBase + "data/adult/" + name},
	}}
}

func bankData(name, sum string) File {
	return File{Path: "bank/" + name, Set: "bank", SHA256: sum, Licence: licenceUCI, Sources: []Source{
		{URL: bankArchive, Members: []string{bankInner, bankFolder + name}},
		{URL: fairifyBase + "data/bank/" + name},
	}}
}
